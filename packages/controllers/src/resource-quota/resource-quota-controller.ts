import type { resourceV1 } from "@coxswain/api";
import {
  createWorkQueue,
  exposeQueue,
  type Informer,
  isConflict,
  isWorthLogging,
  type KubeObject,
  loggedError,
  type ObjectRef,
  persistentVolumeClaims,
  pods,
  queueObserver,
  type ResourceRef,
  resourceClaims,
  resourceQuotas,
  services,
  type TaskContext,
} from "@coxswain/client";
import { DisposableStack } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { whenSynced } from "../shared/tasks/task-waits.ts";
import { act } from "./act.ts";
import { CountedResources } from "./counted-resources.ts";
import { observe, type QuotaCaches } from "./observe.ts";
import { givesBack, plan } from "./plan.ts";

/**
 * The resourcequota-controller writes into the status of each ResourceQuota how much of it is used: when an object of its namespace
 * changes, and every five minutes.
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
export const resourceQuotaController: BuiltInController = {
  name: "resourcequota-controller",
  serviceAccount: "resourcequota-controller",
  aliases: ["resourcequota"],
  make: () => [{ name: "resourcequota-controller", run }],
};

/** kube-controller-manager's defaults. */
const resyncMs = 300_000;
const workers = 5;

const queueName = "resource_quota_controller_resource_changes";

async function run(ctx: TaskContext, signal: AbortSignal): Promise<void> {
  const { client, informers, metrics, log } = ctx;
  using stack = new DisposableStack();
  const queue = stack.use(createWorkQueue<ObjectRef>({ clock: client.clock, observer: queueObserver(metrics, queueName), idOf: keyOf }));
  stack.use(exposeQueue(metrics, queueName, () => queue.stats));
  const quotas = stack.use(informers.use(resourceQuotas, { resyncMs })).informer;
  const changed = (namespace: string): void => {
    for (const { metadata } of quotas.lister.list({ namespace })) queue.add({ namespace, name: metadata?.name ?? "" });
  };
  const counted = stack.use(new CountedResources({ client, informers, changed }));
  const copyOf = <T extends KubeObject>(ref: ResourceRef<T>): Informer<T> => stack.use(informers.use(ref)).informer;
  const measured = {
    pods: copyOf(pods),
    services: copyOf(services),
    claims: copyOf(persistentVolumeClaims),
  };
  const copies: readonly Pick<Informer, "subscribe" | "synced">[] = Object.values(measured);
  if (!(await whenSynced([quotas, ...copies], signal))) return;
  for (const informer of copies) stack.use(informer.subscribe(({ object }) => changed(object.metadata?.namespace ?? "")));
  stack.use(
    quotas.subscribe(({ type, object: { metadata } }) => {
      if (type !== "deleted") queue.add({ namespace: metadata?.namespace, name: metadata?.name ?? "" });
    }),
  );
  let devices: Informer<resourceV1.ResourceClaim> | undefined;
  // Few clusters have any, and to list them loads what else is not needed.
  const deviceClaims = async (): Promise<Informer<resourceV1.ResourceClaim>> => {
    if (devices === undefined) {
      devices = copyOf(resourceClaims);
      stack.use(devices.subscribe(({ object }) => changed(object.metadata?.namespace ?? "")));
    }
    if (!(await whenSynced([devices], signal))) throw signal.reason;
    return devices;
  };
  const caches: QuotaCaches = { quotas: quotas.lister, ...measured, deviceClaims, counted };
  const work = async (): Promise<void> => {
    for await (using claim of queue.claims(signal)) {
      try {
        const observed = await observe(claim.key, { caches, client, certain: false }, signal);
        const status = observed === undefined ? undefined : plan(observed);
        if (observed === undefined || status === undefined) continue;
        const certain = givesBack(status, observed.quota.status)
          ? await observe(claim.key, { caches, client, certain: true }, signal)
          : observed;
        if (certain !== undefined) await act(client, certain.quota, plan(certain), signal);
      } catch (error) {
        claim.retry();
        const failures = claim.failures + 1;
        if (signal.aborted || isConflict(error) || !isWorthLogging(failures)) continue;
        log.error({ ...claim.key, failures, error: loggedError(error) }, "failed to sync quota");
      }
    }
  };
  await Promise.all([counted.follow(log, signal), ...Array.from({ length: workers }, work)]);
}

const keyOf = ({ namespace, name }: ObjectRef): string => `${namespace ?? ""}/${name}`;
