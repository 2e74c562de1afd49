/** What becomes of a Pod for which no node was found, or that could not be bound. */
import { podKind } from "../framework/pod-kind.ts";
import type { QueuedPod } from "../queue/queued-pod.ts";
import type { Profile } from "../runtime/profile.ts";
import type { UnscheduledReason } from "./pod-status.ts";
import type { SchedulerParts } from "./scheduler-parts.ts";

export interface Failure extends UnscheduledReason {
  /** Plugins that have refused the Pod, and those of them that it waits for; none when something else went wrong. */
  readonly unschedulablePlugins: ReadonlySet<string>;
  readonly pendingPlugins: ReadonlySet<string>;
  /** Empty takes a nomination back; undefined leaves what the Pod's status says. */
  readonly nominatedNode: string | undefined;
  /** When the attempt began, as `clock.monotonic()` tells. */
  readonly startedAt: number;
}

const noPlugins: ReadonlySet<string> = new Set();

export const errorFailure = (message: string, startedAt: number): Failure => ({
  reason: "SchedulerError",
  message,
  unschedulablePlugins: noPlugins,
  pendingPlugins: noPlugins,
  nominatedNode: "",
  startedAt,
});

/** The Pod goes back into the queue, if it is still there and nobody else has placed it, and is told why. */
export function handleSchedulingFailure(parts: SchedulerParts, profile: Profile, queued: QueuedPod, failure: Failure): void {
  const { queue, metrics, pods, client, background, status, requests: slots } = parts;
  const { reason, message, nominatedNode, startedAt } = failure;
  const { uid, namespace, name } = queued.pod;
  metrics.attempted(reason === "Unschedulable" ? "unschedulable" : "error", profile.schedulerName, client.clock.monotonic() - startedAt);
  queued.unschedulablePlugins = failure.unschedulablePlugins;
  queued.pendingPlugins = failure.pendingPlugins;
  queued.gatingPlugin = undefined;
  const pod = pods.get({ namespace, name });
  if (pod === undefined || pod.metadata?.uid !== uid || (pod.spec?.nodeName ?? "") !== "") {
    queue.done(uid);
    queue.nominator.delete(uid);
    return;
  }
  queue.addUnschedulableIfNotPresent(queued, pod);
  if (nominatedNode === undefined) queue.nominator.set(queued.pod);
  else queue.nominator.set(queued.pod, nominatedNode);
  if (reason === "SchedulerError") parts.log.warn({ pod: queued.pod.key, error: message }, "an attempt to place a pod failed");
  parts
    .eventsOf(profile.schedulerName)
    .record(pod, { type: "Warning", reason: "FailedScheduling", message, action: "Scheduling" }, podKind);
  background.start(async (signal) => {
    await slots.run(() => status.write(pod, { unscheduled: { reason, message }, nominatedNode }, signal));
  });
}
