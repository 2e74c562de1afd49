/** Which object is under a key. */
import type { ResourceRegistry } from "@coxswain/api";
import type { TimelineObject } from "@coxswain/machinery";
import type { NamedResource } from "../contracts/invariant.ts";

/** By the prefix of their keys, each at its preferred version. */
export function resourcesByPrefix(registry: Pick<ResourceRegistry, "all">): ReadonlyMap<string, NamedResource> {
  const prefixes = new Map<string, NamedResource>();
  for (const { storagePrefix, group, version, resource, kind, namespaced } of registry.all())
    if (storagePrefix !== undefined && !prefixes.has(storagePrefix))
      prefixes.set(storagePrefix, { group, version, resource, kind, namespaced });
  return prefixes;
}

/** Undefined for keys that are no object's. */
export function objectAt(key: string, prefixes: ReadonlyMap<string, NamedResource>): TimelineObject | undefined {
  for (let at = key.indexOf("/", 1); at > 0; at = key.indexOf("/", at + 1)) {
    const served = prefixes.get(key.slice(0, at + 1));
    if (served === undefined) continue;
    const { namespaced, ...resource } = served;
    const rest = key.slice(at + 1);
    const slash = namespaced ? rest.indexOf("/") : -1;
    if (!namespaced) return { ...resource, name: rest };
    // Other resources have a prefix that begins with this one.
    if (slash > 0) return { ...resource, namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
  }
  return undefined;
}
