/** Deleting one of several objects, each on its own. */
import type { Entry } from "@coxswain/store";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { DeleteOptions } from "../request/options.ts";
import type { GenericRegistry } from "./generic-registry.ts";

/** @throws notFound() when it is gone meanwhile, and what else a deletion throws */
export type DeleteEntry = (ctx: RequestContext, entry: Entry, options: DeleteOptions) => Promise<void>;

export const createDeleteEntry =
  (registry: Pick<GenericRegistry, "delete">): DeleteEntry =>
  async (ctx, entry, options) => {
    const { namespace, name } = namespacedName(ctx.resource, entry);
    await registry.delete(ctx, namespace, name, options);
  };

/** Where an object stands follows from its key. */
export function namespacedName(
  { prefix, definition }: ServedResource,
  { key }: Entry,
): { readonly namespace: string; readonly name: string } {
  const rest = key.slice(prefix.length);
  const slash = rest.indexOf("/");
  return definition.namespaced ? { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) } : { namespace: "", name: rest };
}
