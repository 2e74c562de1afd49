import type { QueuedPodInfo } from "../framework/plugin.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { HeapItem } from "./heap.ts";

/** Where a Pod is on its way: `inFlight` while it is tried. */
export type QueueName = "active" | "backoff" | "errorBackoff" | "unschedulable" | "inFlight" | "none";

/** A Pod without a node, with what has become of the attempts to find one. Changed by the queue and by the attempt under way. */
export class QueuedPod implements QueuedPodInfo, HeapItem {
  pod: PodInfo;
  queue: QueueName = "none";
  heapAt = -1;
  /** When it came into the queue, or came back; milliseconds since the epoch. */
  queuedAt: number;
  attempts = 0;
  /** Attempts that found no node: the pause grows with them. */
  unschedulableCount = 0;
  /** Attempts in a row that failed for another reason. */
  consecutiveErrorsCount = 0;
  /** Until when it is not tried again; undefined when that is to be worked out. */
  backoffExpiration: number | undefined;
  initialAttemptAt: number | undefined;
  /** Plugins that have refused it in the last attempt: what happens interests it as far as it interests them. */
  unschedulablePlugins: ReadonlySet<string> = none;
  /** Plugins that have it wait for something of its own: once that is there, it is tried without a pause. */
  pendingPlugins: ReadonlySet<string> = none;
  /** The plugin that keeps it out of the queue. */
  gatingPlugin: string | undefined;
  /** It came to be tried because it had waited for long, not because something happened. */
  flushed = false;

  constructor(pod: PodInfo, now: number) {
    this.pod = pod;
    this.queuedAt = now;
  }

  get schedulerName(): string {
    return this.pod.pod.spec?.schedulerName ?? "";
  }
}

const none: ReadonlySet<string> = new Set();
