import type { QueuedPod } from "../framework/plugin.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { HeapItem } from "./heap.ts";

/** Where a Pod is on its way: `inFlight` while it is tried. */
export type Place = "active" | "backoff" | "errorBackoff" | "unschedulable" | "inFlight" | "nowhere";

/** A Pod without a node, with what has become of the attempts to find one. Changed by the queue and by the attempt under way. */
export class WaitingPod implements QueuedPod, HeapItem {
  pod: PodInfo;
  place: Place = "nowhere";
  heapAt = -1;
  /** When it came into the queue, or came back; milliseconds since the epoch. */
  queuedAt: number;
  attempts = 0;
  /** Attempts that found no node: the pause grows with them. */
  refusals = 0;
  /** Attempts in a row that failed for another reason. */
  errors = 0;
  /** Until when it is not tried again; undefined when that is to be worked out. */
  backoffUntil: number | undefined;
  firstTriedAt: number | undefined;
  /** Plugins that have refused it in the last attempt: what happens interests it as far as it interests them. */
  refusedBy: ReadonlySet<string> = none;
  /** Plugins that have it wait for something of its own: once that is there, it is tried without a pause. */
  pendingOn: ReadonlySet<string> = none;
  /** The plugin that keeps it out of the queue. */
  gatedBy: string | undefined;
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
