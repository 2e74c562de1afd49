import type { Entry } from "@coxswain/store";
import type { ServedResource } from "../contracts/served-resource.ts";

/** Where an object stands follows from its key. */
export function namespacedName(
  { prefix, definition }: ServedResource,
  { key }: Entry,
): { readonly namespace: string; readonly name: string } {
  const rest = key.slice(prefix.length);
  const slash = rest.indexOf("/");
  return definition.namespaced ? { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) } : { namespace: "", name: rest };
}
