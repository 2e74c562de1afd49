/** Looks at every quota when something in its namespace has changed, and every few minutes. */
import type { coreV1 } from "@coxswain/api";
import {
  createWorkQueue,
  exposeQueue,
  isConflict,
  isWorthLogging,
  type Lister,
  loggedError,
  type ObjectRef,
  persistentVolumeClaims,
  pods,
  queueObserver,
  resourceQuotas,
  services,
  type TaskContext,
  unlessNotFound,
} from "@coxswain/client";
import { whenSynced } from "../shared/tasks/task-waits.ts";
import { CountedResources } from "./counted-resources.ts";
import { countableOf, nextQuotaStatus } from "./plan.ts";

/** kube-controller-manager's defaults. */
const resyncMs = 300_000;
const workers = 5;

const queueName = "resource_quota_controller_resource_changes";

interface Caches {
  readonly quotas: Lister<coreV1.ResourceQuota>;
  readonly pods: Lister<coreV1.Pod>;
  readonly services: Lister<coreV1.Service>;
  readonly claims: Lister<coreV1.PersistentVolumeClaim>;
  readonly counted: CountedResources;
}

export async function keepQuotas(ctx: TaskContext, signal: AbortSignal): Promise<void> {
  const { client, informers, metrics, log } = ctx;
  using stack = new DisposableStack();
  const queue = stack.use(createWorkQueue<ObjectRef>({ clock: client.clock, observer: queueObserver(metrics, queueName), idOf: keyOf }));
  stack.use(exposeQueue(metrics, queueName, () => queue.stats));
  const quotas = stack.use(informers.use(resourceQuotas, { resyncMs })).informer;
  const changed = (namespace: string): void => {
    for (const { metadata } of quotas.lister.list({ namespace })) queue.add({ namespace, name: metadata?.name ?? "" });
  };
  const counted = stack.use(new CountedResources({ client, informers, changed }));
  const used = [pods, services, persistentVolumeClaims].map((ref) => stack.use(informers.use(ref)).informer);
  const [ofPods, ofServices, ofClaims] = used;
  const isSynced = await whenSynced([quotas, ...used], signal);
  if (!isSynced || ofPods === undefined || ofServices === undefined || ofClaims === undefined) return;
  for (const informer of used) stack.use(informer.subscribe(({ object }) => changed(object.metadata?.namespace ?? "")));
  stack.use(
    quotas.subscribe(({ type, object: { metadata } }) => {
      if (type !== "deleted") queue.add({ namespace: metadata?.namespace, name: metadata?.name ?? "" });
    }),
  );
  const caches: Caches = {
    quotas: quotas.lister,
    pods: ofPods.lister as Lister<coreV1.Pod>,
    services: ofServices.lister as Lister<coreV1.Service>,
    claims: ofClaims.lister as Lister<coreV1.PersistentVolumeClaim>,
    counted,
  };
  const work = async (): Promise<void> => {
    for await (using claim of queue.claims(signal)) {
      try {
        await reconcileQuota(claim.key, caches, ctx, signal);
      } catch (error) {
        claim.retry();
        const failures = claim.failures + 1;
        if (signal.aborted || isConflict(error) || !isWorthLogging(failures)) continue;
        log.error({ ...claim.key, failures, error: loggedError(error) }, "a quota could not be brought up to date");
      }
    }
  };
  await Promise.all([counted.follow(log, signal), ...Array.from({ length: workers }, work)]);
}

async function reconcileQuota(ref: ObjectRef, caches: Caches, { client }: TaskContext, signal: AbortSignal): Promise<void> {
  const quota = caches.quotas.get(ref);
  if (quota === undefined) return;
  const { namespace } = ref;
  const counts = new Map<string, number>();
  for (const name of Object.keys(quota.spec?.hard ?? {})) {
    const countable = countableOf(name);
    if (countable?.kind !== "objects") continue;
    const lister = await caches.counted.listerOf(countable.group, countable.resource, signal);
    if (lister !== undefined) counts.set(`${countable.resource}.${countable.group}`, lister.list({ namespace }).length);
  }
  const status = nextQuotaStatus(
    quota,
    {
      pods: () => caches.pods.list({ namespace }),
      services: () => caches.services.list({ namespace }),
      claims: () => caches.claims.list({ namespace }),
      count: ({ group, resource }) => counts.get(`${resource}.${group}`),
    },
    client.clock.now(),
  );
  if (status === undefined) return;
  const written = client.resource(resourceQuotas, namespace).updateStatus({ ...quota, status }, { signal });
  await unlessNotFound(written, resourceQuotas, quota.metadata?.name ?? "");
}

const keyOf = ({ namespace, name }: ObjectRef): string => `${namespace ?? ""}/${name}`;
