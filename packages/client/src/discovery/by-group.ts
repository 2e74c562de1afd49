/** Discovery with one request for each group and version, as every server offers it. */

import type { Discovered, DiscoveredResource, FailedDiscovery } from "../contracts/discovered.ts";
import { groupVersionPath } from "../rest/path.ts";
import type { Requests } from "../rest/requests.ts";

export interface ApiVersions {
  readonly kind: "APIVersions";
  readonly versions?: readonly string[];
}

export interface ApiGroupList {
  readonly kind: "APIGroupList";
  readonly groups?: readonly ApiGroup[];
}

interface ApiGroup {
  readonly name: string;
  readonly versions?: readonly { readonly version: string }[];
  readonly preferredVersion?: { readonly version: string };
}

interface ApiResourceList {
  readonly resources?: readonly ApiResource[] | null;
}

interface ApiResource {
  /** `pods`, and `pods/log` for a subresource. */
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Where they differ from the list's. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly preferred: boolean;
}

/** A group whose server does not answer is reported among the failed ones. */
export async function discoverByGroup(
  requests: Requests,
  found: ApiVersions | ApiGroupList,
  signal: AbortSignal | undefined,
): Promise<Discovered> {
  const resources: DiscoveredResource[] = [];
  const failed: FailedDiscovery[] = [];
  const versions = versionsOf(found);
  const read = async (gv: GroupVersion): Promise<readonly DiscoveredResource[] | FailedDiscovery> => {
    try {
      const list = await requests.json<ApiResourceList>({ method: "GET", path: groupVersionPath(gv), signal });
      return resourcesOf(gv, list.resources ?? []);
    } catch (error) {
      signal?.throwIfAborted();
      return { group: gv.group, version: gv.version, error };
    }
  };
  for (const result of await Promise.all(versions.map(read))) {
    if ("error" in result) failed.push(result);
    else resources.push(...result);
  }
  return { resources, failed };
}

function versionsOf(found: ApiVersions | ApiGroupList): readonly GroupVersion[] {
  if (found.kind === "APIVersions") return (found.versions ?? []).map((version, i) => ({ group: "", version, preferred: i === 0 }));
  return (found.groups ?? []).flatMap(({ name, versions = [], preferredVersion }) =>
    versions.map(({ version }) => ({ group: name, version, preferred: version === preferredVersion?.version })),
  );
}

function resourcesOf({ group, version, preferred }: GroupVersion, listed: readonly ApiResource[]): readonly DiscoveredResource[] {
  const subresourcesOf = (resource: string) =>
    listed
      .filter(({ name }) => name.startsWith(`${resource}/`))
      .map((sub) => ({
        name: sub.name.slice(resource.length + 1),
        verbs: sub.verbs ?? [],
        responseKind: { group: sub.group || group, version: sub.version || version, kind: sub.kind },
      }));
  return listed
    .filter(({ name }) => !name.includes("/"))
    .map((found) => ({
      group,
      version,
      resource: found.name,
      kind: found.kind,
      namespaced: found.namespaced,
      singular: found.singularName ?? "",
      shortNames: found.shortNames ?? [],
      categories: found.categories ?? [],
      verbs: found.verbs ?? [],
      subresources: subresourcesOf(found.name),
      preferred,
    }));
}
