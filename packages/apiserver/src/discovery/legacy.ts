/** The discovery documents that every client understands: one for the groups, one for each group and version. */
import type { ResourceDefinition, ResourceRegistry, SubresourceDefinition } from "@coxswain/api";
import { apiVersionOf } from "@coxswain/machinery";
import type { AggregatedVersions } from "./aggregated-versions.ts";
import { storageVersionHash } from "./storage-version-hash.ts";

/** `/api`. @param serverAddress host and port by which any client reaches the server */
export const apiVersions = (registry: ResourceRegistry, serverAddress: string): object => ({
  kind: "APIVersions",
  versions: registry.versions(""),
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
});

/** `/apis`: every group but the core one. */
export const groupList = (registry: ResourceRegistry, others: AggregatedVersions): object => ({
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: others
    .groups(registry.groups())
    .filter((group) => group !== "")
    .map((group) => groupEntry(group, others.versions(group, registry.versions(group)))),
});

/** `/apis/GROUP`; undefined for an unknown group. */
export function group(registry: ResourceRegistry, others: AggregatedVersions, name: string): object | undefined {
  const versions = others.versions(name, registry.versions(name));
  if (name === "" || versions.length === 0) return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(name, versions) };
}

/** `/api/v1` and `/apis/GROUP/VERSION`; undefined for what is not served. */
export function resourceList(registry: ResourceRegistry, group: string, version: string): object | undefined {
  const definitions = registry.resources(group, version);
  if (definitions.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    // The core list has no apiVersion, as in Kubernetes, for the oldest clients.
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: definitions.flatMap((definition) => [
      resourceEntry(definition),
      ...[...definition.subresources.values()].map((subresource) => subresourceEntry(definition, subresource)),
    ]),
  };
}

function groupEntry(name: string, served: readonly string[]): object {
  const versions = served.map((version) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions, preferredVersion: versions[0] };
}

function resourceEntry(definition: ResourceDefinition): object {
  const { resource, singular, namespaced, kind, verbs, shortNames, categories } = definition;
  const hash = storageVersionHash(definition);
  return {
    name: resource,
    singularName: singular,
    namespaced,
    kind,
    verbs: [...verbs],
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(hash === undefined ? {} : { storageVersionHash: hash }),
  };
}

function subresourceEntry(parent: ResourceDefinition, { name, group, version, kind, verbs }: SubresourceDefinition): object {
  return {
    name: `${parent.resource}/${name}`,
    singularName: "",
    namespaced: parent.namespaced,
    ...(group === parent.group && version === parent.version ? {} : { group, version }),
    kind,
    verbs,
  };
}
