/** What happens with a Pod for which no node was found, or that could not be bound. */
import type { Lister } from "@coxswain/client";
import type { Pod } from "../framework/pod-info.ts";
import { podKind } from "../framework/pod-kind.ts";
import type { QueuedPod } from "../queue/queued-pod.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import type { BackgroundWork } from "../runtime/background-work.ts";
import type { Profile } from "../runtime/profile.ts";
import type { PodStatusWriter, StatusChange, UnscheduledReason } from "./pod-status.ts";
import type { Reporter } from "./reporter.ts";

export interface Failure extends UnscheduledReason {
  /** Plugins that found the Pod unschedulable, and those of them that returned Pending; none after an error. */
  readonly unschedulablePlugins: ReadonlySet<string>;
  readonly pendingPlugins: ReadonlySet<string>;
  /** Empty takes a nomination back; undefined leaves what the Pod's status says. */
  readonly nominatedNode: string | undefined;
  /** When the scheduling cycle began, by `clock.monotonic()`. */
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

export interface FailureParts {
  readonly queue: SchedulingQueue;
  readonly pods: Pick<Lister<Pod>, "get">;
  readonly status: PodStatusWriter;
  readonly background: BackgroundWork;
  readonly report: Reporter;
}

/** Puts a Pod back into the queue if it is still there and not bound, and writes into its status why. */
export class FailureHandler {
  readonly #parts: FailureParts;

  constructor(parts: FailureParts) {
    this.#parts = parts;
  }

  handle(profile: Profile, queued: QueuedPod, failure: Failure): void {
    const { queue, pods, report } = this.#parts;
    const { reason, message, nominatedNode, startedAt } = failure;
    const { uid, namespace, name } = queued.pod;
    const result = reason === "Unschedulable" ? "unschedulable" : "error";
    report.metrics.attempted(result, profile.schedulerName, report.clock.monotonic() - startedAt);
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
    if (reason === "SchedulerError") report.log.warn({ pod: queued.pod.key, error: message }, "failed to schedule pod");
    report
      .eventsOf(profile.schedulerName)
      .record(pod, { type: "Warning", reason: "FailedScheduling", message, action: "Scheduling" }, podKind);
    this.#writeStatus(pod, { unscheduled: { reason, message }, nominatedNode });
  }

  #writeStatus(pod: Pod, change: StatusChange): void {
    const { background, status } = this.#parts;
    background.start(async (signal) => {
      await background.request(() => status.write(pod, change, signal));
    });
  }
}
