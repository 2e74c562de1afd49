import { type Client, isObjectNotFound, loggedError, pods, type TaskContext } from "@coxswain/client";
import { wireTime } from "@coxswain/machinery";
import { isPodTerminal, type Pod } from "../shared/pods/pod-state.ts";
import type { Removal } from "./plan.ts";

export async function act({ client, log }: TaskContext, removals: readonly Removal[], signal: AbortSignal): Promise<void> {
  const outcomes = await Promise.allSettled(removals.map((removal) => remove(removal, client, signal)));
  for (const [i, outcome] of outcomes.entries()) {
    if (outcome.status === "fulfilled" || signal.aborted) continue;
    const { namespace, name } = removals[i]?.pod.metadata ?? {};
    log.error({ pod: `${namespace}/${name}`, error: loggedError(outcome.reason) }, "failed to delete pod");
  }
}

/** The Pod is marked as failed before it is deleted: no kubelet is there to report anything else. */
async function remove({ pod, reason }: Removal, client: Client, signal: AbortSignal): Promise<void> {
  const { name = "", namespace, uid } = pod.metadata ?? {};
  const resource = client.resource(pods, namespace);
  try {
    if (!isPodTerminal(pod)) {
      const patch = {
        metadata: { uid },
        status: { phase: "Failed", ...(reason === "orphaned" ? disrupted(pod, client.clock.now()) : {}) },
      };
      await resource.patch(name, { type: "strategic", patch }, { subresource: "status", signal });
    }
    await resource.delete(name, { gracePeriodSeconds: 0, preconditions: uid === undefined ? {} : { uid }, signal });
  } catch (error) {
    if (!isObjectNotFound(error, pods, name)) throw error;
  }
}

/** @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions */
const disrupted = ({ metadata }: Pod, nowMs: number) => ({
  conditions: [
    {
      type: "DisruptionTarget",
      status: "True",
      observedGeneration: metadata?.generation,
      lastTransitionTime: wireTime(nowMs),
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
    },
  ],
});
