/** Recorded objects as a store has them. */
import { createResourceRegistry } from "@coxswain/api";
import { isObject, type KubeObject, stringifyJson } from "@coxswain/machinery";
import type { RecordedRef } from "./format.ts";

export const builtInResources = createResourceRegistry();

/** Where a server keeps the object. */
export function storeKeyOf({ group, resource, namespace, name }: Omit<RecordedRef, "kind" | "version">): string {
  const prefix = builtInResources.preferred(group, resource)?.storagePrefix ?? `/registry/${group}/${resource}/`;
  return namespace === undefined ? `${prefix}${name}` : `${prefix}${namespace}/${name}`;
}

/** The bytes of the object: its revision is none of it. */
export function storedValueOf(object: KubeObject, { group, version, kind }: RecordedRef): Uint8Array {
  const { apiVersion: _, kind: __, metadata: given, ...rest } = object;
  const { resourceVersion: ___, ...metadata } = isObject(given) ? given : {};
  const apiVersion = group === "" ? version : `${group}/${version}`;
  // In the order in which the server writes them itself.
  const head = builtInResources.isBuiltIn(group) ? { kind, apiVersion } : { apiVersion, kind };
  return Buffer.from(stringifyJson({ ...head, metadata, ...rest }));
}
