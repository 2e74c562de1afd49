/**
 * Discovery in two requests, as servers from 1.26 on offer it.
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery
 */
import type { GroupVersionKind } from "@coxswain/machinery";
import type { Discovered, DiscoveredResource, FailedDiscovery } from "../contracts/discovered.ts";

/** Older servers answer the plain list of groups instead. */
export const aggregatedAccept = ["v2", "v2beta1"]
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat("application/json")
  .join(",");

export interface GroupDiscoveryList {
  readonly kind: "APIGroupDiscoveryList";
  readonly items?: readonly GroupDiscovery[];
}

interface GroupDiscovery {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly VersionDiscovery[];
}

interface VersionDiscovery {
  readonly version: string;
  readonly resources?: readonly ResourceDiscovery[];
  readonly freshness?: "Current" | "Stale";
}

interface ResourceDiscovery {
  readonly resource: string;
  readonly responseKind?: Partial<GroupVersionKind>;
  readonly scope: "Cluster" | "Namespaced";
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind?: Partial<GroupVersionKind>;
    readonly verbs?: readonly string[];
  }[];
}

export function readAggregated({ items = [] }: GroupDiscoveryList): Discovered {
  const resources: DiscoveredResource[] = [];
  const failed: FailedDiscovery[] = [];
  for (const { metadata, versions = [] } of items) {
    const group = metadata?.name ?? "";
    for (const [i, { version, resources: found = [], freshness }] of versions.entries()) {
      if (freshness === "Stale") failed.push({ group, version, error: new Error(`the server of ${group}/${version} does not answer`) });
      for (const resource of found) {
        // Without a kind, only its subresources are served.
        if (resource.responseKind?.kind) resources.push(resourceOf(group, version, resource, i === 0));
      }
    }
  }
  return { resources, failed };
}

function resourceOf(group: string, version: string, found: ResourceDiscovery, preferred: boolean): DiscoveredResource {
  const kindOf = (kind: Partial<GroupVersionKind> | undefined): GroupVersionKind => ({
    group: kind?.group || group,
    version: kind?.version || version,
    kind: kind?.kind ?? "",
  });
  return {
    group,
    version,
    resource: found.resource,
    kind: found.responseKind?.kind ?? "",
    namespaced: found.scope === "Namespaced",
    singular: found.singularResource ?? "",
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    verbs: found.verbs ?? [],
    subresources: (found.subresources ?? []).map(({ subresource, verbs = [], responseKind }) => ({
      name: subresource,
      verbs,
      responseKind: kindOf(responseKind),
    })),
    preferred,
  };
}
