/** Asks a server what it offers, and remembers it. */
import { apiVersionOf, isNotFound } from "@coxswain/machinery";
import { type Discovered, type FailedDiscovery, NoMatchError } from "../contracts/discovered.ts";
import type { ResourceRef } from "../contracts/resource-ref.ts";
import type { Requests } from "../rest/requests.ts";
import { aggregatedAccept, type GroupDiscoveryList, readAggregated } from "./aggregated.ts";
import { type ApiGroupList, type ApiVersions, discoverByGroup } from "./by-group.ts";

export interface Discovery {
  /** @throws NoMatchError */
  refOf(kind: KindName, opts?: { readonly signal?: AbortSignal | undefined }): Promise<ResourceRef>;
  discover(opts?: { readonly signal?: AbortSignal | undefined }): Promise<Discovered>;
  /** What was found before may no longer be so. */
  forget(): void;
}

interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

interface Known {
  readonly refs: ReadonlyMap<string, ResourceRef>;
  readonly failed: readonly FailedDiscovery[];
}

const nothing: Known = { refs: new Map(), failed: [] };

/** Kinds that are not served cost a request each time that they are looked up: so many at once, then one in so long. */
const maxRefreshes = 10;
const refreshEveryMs = 1_000;

export function createDiscovery(requests: Requests): Discovery {
  let known: Known = nothing;
  let refreshing: Promise<Discovered> | undefined;
  const mayRefresh = createRefreshLimiter(requests);

  const discover = async (signal?: AbortSignal): Promise<Discovered> => {
    const found = await discoverAll(requests, signal);
    known = { refs: byKind(found), failed: found.failed };
    return found;
  };
  /** What several ask for at the same time is asked once; each stops waiting when its own signal says so. */
  const refresh = (signal: AbortSignal | undefined): Promise<unknown> => {
    refreshing ??= discover().finally(() => {
      refreshing = undefined;
    });
    // A caller that has stopped waiting does not get its failure.
    refreshing.catch(() => undefined);
    return abortable(refreshing, signal);
  };
  return {
    discover: ({ signal } = {}) => discover(signal),
    forget: () => {
      known = nothing;
    },
    refOf: async (name, { signal } = {}) => {
      const key = kindKey(name);
      if (!known.refs.has(key) && (refreshing !== undefined || mayRefresh())) await refresh(signal);
      const ref = known.refs.get(key);
      if (ref !== undefined) return ref;
      throw new NoMatchError(name, known.failed.find((gv) => apiVersionOf(gv) === name.apiVersion)?.error);
    },
  };
}

async function discoverAll(requests: Requests, signal: AbortSignal | undefined): Promise<Discovered> {
  const [core, groups] = await Promise.all([discoverUnder("/api"), discoverUnder("/apis")]);
  return { resources: [...core.resources, ...groups.resources], failed: [...core.failed, ...groups.failed] };

  async function discoverUnder(path: string): Promise<Discovered> {
    try {
      const found = await requests.json<GroupDiscoveryList | ApiVersions | ApiGroupList>({
        method: "GET",
        path,
        accept: aggregatedAccept,
        signal,
      });
      return found.kind === "APIGroupDiscoveryList" ? readAggregated(found) : await discoverByGroup(requests, found, signal);
    } catch (error) {
      // A server may have no core group, or nothing but it.
      if (isNotFound(error)) return { resources: [], failed: [] };
      throw error;
    }
  }
}

/** The first wins: of several resources of one kind, the server lists the preferred one first. */
function byKind({ resources }: Discovered): ReadonlyMap<string, ResourceRef> {
  const refs = new Map<string, ResourceRef>();
  for (const { group, version, resource, kind, namespaced } of resources) {
    const key = kindKey({ apiVersion: apiVersionOf({ group, version }), kind });
    if (!refs.has(key)) refs.set(key, { group, version, resource, kind, namespaced });
  }
  return refs;
}

const kindKey = ({ apiVersion, kind }: KindName): string => `${apiVersion} ${kind}`;

function createRefreshLimiter({ clock }: Requests): () => boolean {
  let left = maxRefreshes;
  let since = clock.monotonic();
  return () => {
    const earned = Math.floor((clock.monotonic() - since) / refreshEveryMs);
    since += earned * refreshEveryMs;
    left = Math.min(maxRefreshes, left + earned);
    if (left === 0) return false;
    left--;
    return true;
  };
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
