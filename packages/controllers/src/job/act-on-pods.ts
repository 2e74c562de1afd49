/** Creates and deletes a Job's Pods. */
import { isNamespaceTerminating, jobs, pods, type ReconcileContext, unlessNotFound } from "@coxswain/client";
import { podControl } from "../shared/pods/pod-control.ts";
import { isPodReady, type Pod } from "../shared/pods/pod-state.ts";
import { slowStart } from "../shared/pods/slow-start.ts";
import { isTracked, trackingFinalizer } from "./job-pods.ts";
import type { Job } from "./job-settings.ts";
import type { JobObservation } from "./observe-job.ts";
import type { JobPlan } from "./plan.ts";
import type { PodPlan } from "./plan-pods.ts";
import { podOfJob } from "./pod-of-job.ts";

/** How many Pods there are after what was done, and what came of it. */
export interface PodsNow {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** More Pods are to be made then. */
  readonly afterMs?: number;
  /** Not all could be done; the status is written with what was done before this is thrown. */
  readonly error?: unknown;
}

const podsAsTheyAre = ({ active, ready, terminating }: JobObservation): PodsNow => ({
  active: active.length,
  ready,
  terminating: terminating.length,
});

export async function actOnPods(ctx: ReconcileContext<Job>, job: Job, seen: JobObservation, planned: JobPlan["pods"]): Promise<PodsNow> {
  const before = podsAsTheyAre(seen);
  switch (planned.do) {
    case "nothing":
      return before;
    case "wait":
      return { ...before, afterMs: planned.afterMs };
    case "end":
      // They keep their finalizers, so that each is counted.
      return await deletePods(ctx, job, seen, { pods: planned.pods, counted: true });
    case "delete":
      return await deletePods(ctx, job, seen, { pods: planned.pods, counted: false });
    case "create": {
      const { succeeded, error } = await createPods(ctx, job, seen, planned);
      return { ...before, active: before.active + succeeded, error };
    }
  }
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
    await control.create(podOfJob(job, index, replaced)).catch((rejected: unknown) => {
      // Every creation fails there from now on, and none is needed.
      if (!isNamespaceTerminating(rejected)) throw rejected;
    });
  });
}

/** Surplus Pods are not counted: they lose their finalizer first. */
async function deletePods(
  { client, events, signal }: ReconcileContext<Job>,
  job: Job,
  seen: JobObservation,
  { pods: surplus, counted }: { readonly pods: readonly Pod[]; readonly counted: boolean },
): Promise<PodsNow> {
  const control = podControl({ client, events, owner: job, ownerRef: jobs, signal });
  const outcomes = await Promise.allSettled(
    surplus.map(async (pod) => {
      if (!counted) await releasePod({ client, signal }, pod);
      await control.delete(pod);
    }),
  );
  const gone = surplus.filter((_, i) => outcomes[i]?.status === "fulfilled");
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
