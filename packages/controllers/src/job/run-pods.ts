/** Makes and deletes a Job's Pods. */
import { isNamespaceTerminating, jobs, pods, type ReconcileContext, unlessNotFound } from "@coxswain/client";
import { podControl } from "../shared/pods/pod-control.ts";
import { isPodReady, type Pod } from "../shared/pods/pod-state.ts";
import { slowStart } from "../shared/pods/slow-start.ts";
import { isTracked, trackingFinalizer } from "./job-pods.ts";
import type { Job } from "./job-settings.ts";
import type { JobObservation } from "./observe.ts";
import { type PodPlan, planPods } from "./plan-pods.ts";
import { podOfJob } from "./pod-of-job.ts";

/** How many Pods there are after what was done, and what came of it. */
export interface PodsNow {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** More Pods are to be made then. */
  readonly afterMs?: number;
  /** Not all could be done; the status tells what has been before this is thrown. */
  readonly error?: unknown;
}

export const podsAsTheyAre = ({ active, ready, terminating }: JobObservation): PodsNow => ({
  active: active.length,
  ready,
  terminating: terminating.length,
});

/** They keep their finalizers, so that each is counted. */
export const endPods = (ctx: ReconcileContext<Job>, job: Job, seen: JobObservation): Promise<PodsNow> =>
  deletePods(ctx, job, seen, seen.active, { counted: true });

export async function managePods(ctx: ReconcileContext<Job>, job: Job, seen: JobObservation, nowMs: number): Promise<PodsNow> {
  const plan = planPods(seen, nowMs);
  const before = podsAsTheyAre(seen);
  if (plan.do === "nothing") return before;
  if (plan.do === "wait") return { ...before, afterMs: plan.afterMs };
  if (plan.do === "delete") return deletePods(ctx, job, seen, plan.pods, { counted: false });
  const { succeeded, error } = await createPods(ctx, job, seen, plan);
  return { ...before, active: before.active + succeeded, error };
}

async function createPods(
  { client, events, signal }: ReconcileContext<Job>,
  job: Job,
  { indexes }: JobObservation,
  { indexes: wanted }: PodPlan & { readonly do: "create" },
) {
  const control = podControl({ client, events, owner: job, ownerRef: jobs, signal });
  const queue = wanted.values();
  return slowStart(wanted.length, async () => {
    const index = queue.next().value;
    const replaced = index === undefined ? undefined : indexes?.heldBack.get(index);
    await control.create(podOfJob(job, index, replaced)).catch((refused: unknown) => {
      // Every creation fails there from now on, and nobody needs it.
      if (!isNamespaceTerminating(refused)) throw refused;
    });
  });
}

/** What is only too much is not counted: it loses its finalizer first. */
async function deletePods(
  { client, events, signal }: ReconcileContext<Job>,
  job: Job,
  seen: JobObservation,
  doomed: readonly Pod[],
  { counted }: { readonly counted: boolean },
): Promise<PodsNow> {
  const control = podControl({ client, events, owner: job, ownerRef: jobs, signal });
  const outcomes = await Promise.allSettled(
    doomed.map(async (pod) => {
      if (!counted) await releasePod({ client, signal }, pod);
      await control.delete(pod);
    }),
  );
  const gone = doomed.filter((_, i) => outcomes[i]?.status === "fulfilled");
  const before = podsAsTheyAre(seen);
  return {
    active: before.active - gone.length,
    ready: before.ready - gone.filter(isPodReady).length,
    terminating: before.terminating + gone.length,
    error: outcomes.find((outcome) => outcome.status === "rejected")?.reason,
  };
}

/** Takes the finalizer away, if this very Pod is still there. */
export async function releasePod({ client, signal }: Pick<ReconcileContext, "client" | "signal">, pod: Pod): Promise<void> {
  if (!isTracked(pod)) return;
  const { namespace, name = "", uid } = pod.metadata ?? {};
  const patch = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } };
  await unlessNotFound(client.resource(pods).patch({ namespace, name }, { type: "strategic", patch }, { signal }), pods, name);
}
