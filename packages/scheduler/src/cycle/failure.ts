/** What becomes of a Pod for which no node was found, or that could not be bound. */
import { podKind } from "../framework/pod-kind.ts";
import type { Profile } from "../profile/profile.ts";
import type { WaitingPod } from "../queue/waiting-pod.ts";
import type { Unplaced } from "./pod-status.ts";
import type { SchedulerParts } from "./scheduler-parts.ts";

export interface Failure extends Unplaced {
  /** Plugins that have refused the Pod, and those of them that it waits for; none when something else went wrong. */
  readonly refusedBy: ReadonlySet<string>;
  readonly pendingOn: ReadonlySet<string>;
  /** Empty takes a nomination back; undefined leaves what the Pod's status says. */
  readonly nominatedNode: string | undefined;
  /** When the attempt began, as `clock.monotonic()` tells. */
  readonly startedAt: number;
}

const nobody: ReadonlySet<string> = new Set();

export const errorFailure = (message: string, startedAt: number): Failure => ({
  reason: "SchedulerError",
  message,
  refusedBy: nobody,
  pendingOn: nobody,
  nominatedNode: "",
  startedAt,
});

/** The Pod goes back into the queue, if it is still there and nobody else has placed it, and is told why. */
export function handleFailure(parts: SchedulerParts, profile: Profile, waiting: WaitingPod, failure: Failure): void {
  const { queue, metrics, pods, client, background, status, slots } = parts;
  const { reason, message, nominatedNode, startedAt } = failure;
  const { uid, namespace, name } = waiting.pod;
  metrics.attempted(reason === "Unschedulable" ? "unschedulable" : "error", profile.schedulerName, client.clock.monotonic() - startedAt);
  waiting.refusedBy = failure.refusedBy;
  waiting.pendingOn = failure.pendingOn;
  waiting.gatedBy = undefined;
  const pod = pods.get({ namespace, name });
  if (pod === undefined || pod.metadata?.uid !== uid || (pod.spec?.nodeName ?? "") !== "") {
    queue.done(uid);
    queue.nominator.delete(uid);
    return;
  }
  queue.putBack(waiting, pod);
  if (nominatedNode === undefined) queue.nominator.set(waiting.pod);
  else queue.nominator.set(waiting.pod, nominatedNode);
  if (reason === "SchedulerError") parts.log.warn({ pod: waiting.pod.key, error: message }, "an attempt to place a pod failed");
  parts
    .eventsOf(profile.schedulerName)
    .record(pod, { type: "Warning", reason: "FailedScheduling", message, action: "Scheduling" }, podKind);
  background.start(async (signal) => {
    await slots.during(() => status.write(pod, { unplaced: { reason, message }, nominatedNode }, signal));
  });
}
