/** Which object a change of a store is of. */
import type { KeyedChange } from "@coxswain/store";
import { builtInResources } from "../../recording/stored-object.ts";
import type { RunWrite } from "./recorded-run.ts";
import { objectOf } from "./replay-cluster.ts";

/** By what is stored: a group that is not built in has resources that are named in their keys. Undefined for what is no object. */
export function objectKeyNames({ key, entry, previous }: Pick<KeyedChange, "key" | "entry" | "previous">): RunWrite["ref"] | undefined {
  const { kind, apiVersion, metadata: { namespace, name } = {} } = objectOf(entry ?? previous) ?? {};
  if (kind === undefined || apiVersion === undefined || name === undefined) return undefined;
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const resource = builtInResources.byKind(group, version, kind)?.resource ?? key.split("/")[3] ?? "";
  return { group, version, resource, kind, ...(namespace === undefined ? {} : { namespace }), name };
}
