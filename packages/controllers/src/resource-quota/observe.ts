import { type coreV1, resourceQuota, type resourceV1 } from "@coxswain/api";
import type { Client, Informer, KubeObject, Lister, ObjectRef } from "@coxswain/client";
import type { CountedResources } from "./counted-resources.ts";
import type { ObservedQuota } from "./plan.ts";

type Copy<T extends KubeObject> = Pick<Informer<T>, "ref" | "selection" | "lister" | "freshness">;

export interface QuotaCaches {
  readonly quotas: Lister<coreV1.ResourceQuota>;
  readonly pods: Copy<coreV1.Pod>;
  readonly services: Copy<coreV1.Service>;
  readonly claims: Copy<coreV1.PersistentVolumeClaim>;
  /** Copied from the first time on that a quota counts them. */
  readonly deviceClaims: () => Promise<Copy<resourceV1.ResourceClaim>>;
  readonly counted: CountedResources;
}

export interface ObserveOptions {
  readonly caches: QuotaCaches;
  readonly client: Client;
  /**
   * Whether the copies must have all that the quota was charged for. The server charges a quota together with the write of the
   * object: a copy that does not have that object yet would give back what is used. Such a copy is not asked, but the server.
   */
  readonly certain: boolean;
}

/** Undefined when the quota is gone. */
export async function observe(
  ref: ObjectRef,
  { caches, client, certain }: ObserveOptions,
  signal: AbortSignal,
): Promise<ObservedQuota | undefined> {
  const quota = caches.quotas.get(ref);
  if (quota === undefined) return undefined;
  const { namespace } = ref;
  const chargedAt = BigInt(quota.metadata?.resourceVersion ?? 0);
  const itemsOf = async <T extends KubeObject>({ ref, selection, lister, freshness }: Copy<T>): Promise<readonly T[]> => {
    if (!certain || BigInt(freshness.resourceVersion ?? 0) > chargedAt) return lister.list({ namespace });
    const { items } = await client.resource(ref, namespace).list({ metadataOnly: selection.metadataOnly === true, signal });
    return items;
  };
  const countables = Object.keys(quota.spec?.hard ?? {}).map(resourceQuota.countableOf);
  const isCounted = (kind: resourceQuota.MeasuredKind): boolean => countables.some((countable) => countable?.kind === kind);
  const wanted = <T extends KubeObject>(kind: resourceQuota.MeasuredKind, copy: Copy<T>): Promise<readonly T[]> | [] =>
    isCounted(kind) ? itemsOf(copy) : [];
  const counts = new Map<string, number>();
  for (const countable of countables) {
    if (countable?.kind !== "objects") continue;
    const copy = await caches.counted.copyOf(countable.group, countable.resource, signal);
    if (copy !== undefined) counts.set(`${countable.resource}.${countable.group}`, (await itemsOf(copy)).length);
  }
  const [pods, services, claims, deviceClaims] = await Promise.all([
    wanted("pods", caches.pods),
    wanted("services", caches.services),
    wanted("claims", caches.claims),
    isCounted("deviceClaims") ? caches.deviceClaims().then(itemsOf) : [],
  ]);
  const count = ({ group, resource }: { readonly group: string; readonly resource: string }) => counts.get(`${resource}.${group}`);
  return { quota, content: { pods, services, claims, deviceClaims, count }, nowMs: client.clock.now() };
}
