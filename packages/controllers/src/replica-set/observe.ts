import { byControllerIndex, controllerOf, isControlledBy, pods, type ReconcileContext } from "@coxswain/client";
import type { LabelSelector } from "@coxswain/machinery";
import { claim } from "../shared/pods/claim.ts";
import { ownedAndOrphans } from "../shared/pods/orphans.ts";
import { isPodActive, isPodTerminating, type Pod } from "../shared/pods/pod-state.ts";
import type { ObservedReplicas } from "./plan.ts";
import type { Replicated, ReplicatedApi } from "./replicated.ts";

/** Claims the Pods of a ReplicaSet or ReplicationController. */
export async function observe<T extends Replicated>(api: ReplicatedApi<T>, ctx: ReconcileContext<T>, object: T): Promise<ObservedReplicas> {
  const { client, signal } = ctx;
  const selector = api.selectorOf(object);
  const all = ownedAndOrphans(ctx, pods);
  const candidates = all.filter(isPodActive);
  const active = await claim({ client, ref: pods, owner: object, ownerRef: api.ref, selector, candidates, signal });
  return {
    isBeingDeleted: object.metadata?.deletionTimestamp !== undefined,
    wanted: object.spec?.replicas ?? 0,
    active,
    terminating: api.hasTerminatingReplicas ? all.filter((pod) => isTerminatingOf(object, selector, pod)) : undefined,
    related: () => relatedPods(api, ctx),
    nowMs: client.clock.now(),
  };
}

const isTerminatingOf = (owner: Replicated, selector: LabelSelector, pod: Pod): boolean =>
  isPodTerminating(pod) && isControlledBy(pod, owner) && selector.matches(pod.metadata?.labels);

/** Of all generations that its own controller has made, such as those of a Deployment. */
function relatedPods<T extends Replicated>({ ref }: ReplicatedApi<T>, { cache, object }: ReconcileContext<T>): Pod[] {
  const controller = object === undefined ? undefined : controllerOf(object);
  if (controller === undefined) return [];
  const generations = cache(ref).byIndex(byControllerIndex, controller.uid);
  return generations.flatMap(({ metadata }) => cache(pods).byIndex(byControllerIndex, metadata?.uid ?? ""));
}
