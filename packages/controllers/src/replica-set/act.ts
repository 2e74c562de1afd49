import { done, isNamespaceTerminating, type Outcome, type ReconcileContext, requeue } from "@coxswain/client";
import { controllerReference } from "../shared/pods/claim.ts";
import { podControl } from "../shared/pods/pod-control.ts";
import { podFromTemplate } from "../shared/pods/pod-from-template.ts";
import { nextAvailabilityMs } from "../shared/pods/pod-state.ts";
import { slowStart } from "../shared/pods/slow-start.ts";
import type { ObservedReplicas, ReplicasPlan } from "./plan.ts";
import type { Replicated, ReplicatedApi } from "./replicated.ts";
import { nextStatus } from "./replicated-status.ts";

interface Subject<T extends Replicated> {
  readonly api: ReplicatedApi<T>;
  readonly object: T;
}

/** Creates or deletes Pods, and writes the status. @throws what creating or deleting failed with, after the status */
export async function act<T extends Replicated>(
  ctx: ReconcileContext<T>,
  { api, object }: Subject<T>,
  { active, terminating }: ObservedReplicas,
  planned: ReplicasPlan,
): Promise<Outcome> {
  const { client, signal } = ctx;
  const failure = await actOnPods(ctx, { api, object }, planned);
  // Availability now and the time of the next reconcile are of one moment.
  const nowMs = client.clock.now();
  const status = nextStatus(object, { active, terminating, failure, nowMs });
  if (status !== undefined) await client.resource(api.ref, object.metadata?.namespace).updateStatus({ ...object, status }, { signal });
  if (failure !== undefined) throw failure;
  const afterMs = nextAvailabilityMs(active, object.spec?.minReadySeconds ?? 0, nowMs);
  return afterMs === undefined ? done : requeue(afterMs);
}

/** Resolves with the first error: the status reports it before the reconcile is repeated. */
async function actOnPods<T extends Replicated>(
  { client, events, signal }: ReconcileContext<T>,
  { api, object }: Subject<T>,
  planned: ReplicasPlan,
): Promise<Error | undefined> {
  if (planned.do === "nothing") return undefined;
  const control = podControl({ client, events, owner: object, ownerRef: api.ref, signal });
  if (planned.do === "delete") {
    const deletions = await Promise.allSettled(planned.pods.map((pod) => control.delete(pod)));
    return errorOf(deletions.find((deletion) => deletion.status === "rejected")?.reason);
  }
  const pod = podFromTemplate(object.spec?.template, object.metadata?.name ?? "", controllerReference(object, api.ref));
  const { error } = await slowStart(planned.count, () =>
    control.create(pod).catch((rejected: unknown) => {
      // Every creation fails there from now on, and none is needed.
      if (!isNamespaceTerminating(rejected)) throw rejected;
    }),
  );
  return errorOf(error);
}

const errorOf = (thrown: unknown): Error | undefined =>
  thrown === undefined || thrown instanceof Error ? thrown : new Error(String(thrown));
