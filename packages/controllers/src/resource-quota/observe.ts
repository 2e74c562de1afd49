import type { coreV1 } from "@coxswain/api";
import type { Client, Lister, ObjectRef } from "@coxswain/client";
import type { CountedResources } from "./counted-resources.ts";
import { countableOf, type ObservedQuota } from "./plan.ts";

export interface QuotaCaches {
  readonly quotas: Lister<coreV1.ResourceQuota>;
  readonly pods: Lister<coreV1.Pod>;
  readonly services: Lister<coreV1.Service>;
  readonly claims: Lister<coreV1.PersistentVolumeClaim>;
  readonly counted: CountedResources;
}

/** Undefined when the quota is gone. */
export async function observe(
  ref: ObjectRef,
  caches: QuotaCaches,
  { clock }: Client,
  signal: AbortSignal,
): Promise<ObservedQuota | undefined> {
  const quota = caches.quotas.get(ref);
  if (quota === undefined) return undefined;
  const { namespace } = ref;
  const counts = new Map<string, number>();
  for (const name of Object.keys(quota.spec?.hard ?? {})) {
    const countable = countableOf(name);
    if (countable?.kind !== "objects") continue;
    const lister = await caches.counted.listerOf(countable.group, countable.resource, signal);
    if (lister !== undefined) counts.set(`${countable.resource}.${countable.group}`, lister.list({ namespace }).length);
  }
  return {
    quota,
    content: {
      pods: () => caches.pods.list({ namespace }),
      services: () => caches.services.list({ namespace }),
      claims: () => caches.claims.list({ namespace }),
      count: ({ group, resource }) => counts.get(`${resource}.${group}`),
    },
    nowMs: clock.now(),
  };
}
