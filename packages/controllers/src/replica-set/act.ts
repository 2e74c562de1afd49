/** One look at a ReplicaSet or ReplicationController: as many Pods as it wants, and a status that says so. */
import {
  byControllerIndex,
  type Client,
  controllerOf,
  done,
  isControlledBy,
  isNamespaceTerminating,
  type Outcome,
  pods,
  type ReconcileContext,
  requeue,
} from "@coxswain/client";
import type { LabelSelector } from "@coxswain/machinery";
import { claim, controllerReference } from "../shared/pods/claim.ts";
import { ownedAndOrphans } from "../shared/pods/orphans.ts";
import { podControl } from "../shared/pods/pod-control.ts";
import { podFromTemplate } from "../shared/pods/pod-from-template.ts";
import { isPodActive, isPodTerminating, nextAvailabilityMs, type Pod } from "../shared/pods/pod-state.ts";
import { slowStart } from "../shared/pods/slow-start.ts";
import { planReplicas } from "./plan.ts";
import type { Replicated, ReplicatedApi } from "./replicated.ts";
import { nextStatus } from "./replicated-status.ts";

export async function reconcileReplicated<T extends Replicated>(api: ReplicatedApi<T>, ctx: ReconcileContext<T>): Promise<Outcome> {
  const { object, client, signal } = ctx;
  if (object === undefined) return done;
  const selector = api.selectorOf(object);
  const all = ownedAndOrphans(ctx, pods);
  const candidates = all.filter(isPodActive);
  const active = await claim({ client, ref: pods, owner: object, ownerRef: api.ref, selector, candidates, signal });
  const failure = object.metadata?.deletionTimestamp === undefined ? await manage(api, ctx, object, active) : undefined;
  // Availability now and when to look again must be of one moment.
  const nowMs = client.clock.now();
  const terminating = api.tellsTerminating ? all.filter((pod) => isTerminatingOf(object, selector, pod)) : undefined;
  const status = nextStatus(object, { active, terminating, failure, nowMs });
  if (status !== undefined) await writeStatus(api, client, { ...object, status }, signal);
  if (failure !== undefined) throw failure;
  const afterMs = nextAvailabilityMs(active, object.spec?.minReadySeconds ?? 0, nowMs);
  return afterMs === undefined ? done : requeue(afterMs);
}

const isTerminatingOf = (owner: Replicated, selector: LabelSelector, pod: Pod): boolean =>
  isPodTerminating(pod) && isControlledBy(pod, owner) && selector.matches(pod.metadata?.labels);

const writeStatus = <T extends Replicated>({ ref }: ReplicatedApi<T>, client: Client, object: T, signal: AbortSignal): Promise<T> =>
  client.resource(ref, object.metadata?.namespace).updateStatus(object, { signal });

/** Resolves with what went wrong: the status tells it before the reconcile is repeated. */
async function manage<T extends Replicated>(
  api: ReplicatedApi<T>,
  ctx: ReconcileContext<T>,
  object: T,
  active: readonly Pod[],
): Promise<Error | undefined> {
  const { client, events, signal } = ctx;
  const wanted = object.spec?.replicas ?? 0;
  const plan = planReplicas({ wanted, active, related: () => relatedPods(api, ctx), nowMs: client.clock.now() });
  if (plan.do === "nothing") return undefined;
  const control = podControl({ client, events, owner: object, ownerRef: api.ref, signal });
  if (plan.do === "delete") {
    const deletions = await Promise.allSettled(plan.pods.map((pod) => control.delete(pod)));
    return errorOf(deletions.find((deletion) => deletion.status === "rejected")?.reason);
  }
  const pod = podFromTemplate(object.spec?.template, object.metadata?.name ?? "", controllerReference(object, api.ref));
  const { error } = await slowStart(plan.count, () =>
    control.create(pod).catch((refused: unknown) => {
      // Every creation fails there from now on, and nobody needs it.
      if (!isNamespaceTerminating(refused)) throw refused;
    }),
  );
  return errorOf(error);
}

const errorOf = (thrown: unknown): Error | undefined =>
  thrown === undefined || thrown instanceof Error ? thrown : new Error(String(thrown));

/** Of all generations that its own controller has made, such as those of a Deployment. */
function relatedPods<T extends Replicated>({ ref }: ReplicatedApi<T>, { cache, object }: ReconcileContext<T>): Pod[] {
  const controller = object === undefined ? undefined : controllerOf(object);
  if (controller === undefined) return [];
  const generations = cache(ref).byIndex(byControllerIndex, controller.uid);
  return generations.flatMap(({ metadata }) => cache(pods).byIndex(byControllerIndex, metadata?.uid ?? ""));
}
