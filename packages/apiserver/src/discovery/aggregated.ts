/**
 * Discovery in one answer for all of `/api` or all of `/apis`.
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery
 */
import type { ResourceDefinition, ResourceRegistry, SubresourceDefinition } from "@coxswain/api";
import type { AggregatedVersions } from "./aggregated-versions.ts";

/** Echoes the parameters that asked for it: clients choose their parser by them. */
export const aggregatedMediaType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export const aggregatedList = (registry: ResourceRegistry, groups: readonly string[], others: AggregatedVersions): object => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
  items: groups.map((group) => ({
    metadata: group === "" ? {} : { name: group },
    versions: others.versions(group, registry.versions(group)).map(
      (served) =>
        others.entry(group, served) ?? {
          version: served,
          resources: registry.resources(group, served).map(resourceEntry),
          freshness: "Current",
        },
    ),
  })),
});

function resourceEntry(definition: ResourceDefinition): object {
  const { resource, kind, namespaced, singular, verbs, shortNames, categories, subresources } = definition;
  return {
    resource,
    // Empty means: the group and version of the entry.
    responseKind: { group: "", version: "", kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: [...verbs],
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.size === 0
      ? {}
      : { subresources: [...subresources.values()].map((subresource) => subresourceEntry(definition, subresource)) }),
  };
}

function subresourceEntry(parent: ResourceDefinition, { name, group, version, kind, verbs }: SubresourceDefinition): object {
  const own = group === parent.group && version === parent.version;
  return { subresource: name, responseKind: own ? { group: "", version: "", kind } : { group, version, kind }, verbs };
}
