/** Pods that have been refused or have failed, until they may be tried again. */
import type { Clock, Timer } from "@coxswain/machinery";
import { Heap } from "./heap.ts";
import type { QueuedPod } from "./queued-pod.ts";

export interface BackoffOptions {
  readonly clock: Clock;
  /** After the first attempt; it doubles with each. Milliseconds. */
  readonly initialMs: number;
  readonly maxMs: number;
  readonly less: (a: QueuedPod, b: QueuedPod) => boolean;
  /** Called with each Pod whose backoff is over. */
  readonly onOver: (queued: QueuedPod) => void;
}

/** Pauses end at whole seconds, so that Pods whose pauses end together are tried in their own order. */
const windowMs = 1_000;

export class BackoffQueue {
  readonly #options: BackoffOptions;
  readonly #refused: Heap<QueuedPod>;
  readonly #failed: Heap<QueuedPod>;
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(options: BackoffOptions) {
    this.#options = options;
    const until = (queued: QueuedPod): number => this.#until(queued);
    this.#refused = new Heap((a, b) => until(a) < until(b) || (until(a) === until(b) && options.less(a, b)));
    this.#failed = new Heap((a, b) => until(a) < until(b));
  }

  get size(): number {
    return this.#refused.size + this.#failed.size;
  }

  isWaiting(queued: QueuedPod): boolean {
    return this.#until(queued) >= wholeWindow(this.#options.clock.now());
  }

  add(queued: QueuedPod): void {
    const refused = queued.unschedulablePlugins.size + queued.pendingPlugins.size > 0;
    queued.queue = refused ? "backoff" : "errorBackoff";
    this.#heapOf(queued).push(queued);
    this.#schedule();
  }

  moved(queued: QueuedPod): void {
    this.#heapOf(queued).moved(queued);
  }

  delete(queued: QueuedPod): void {
    this.#heapOf(queued).delete(queued);
    if (this.size === 0) this.close();
  }

  /** The next one, before its time: while nothing else is queued the backoff spares nothing. Not one that failed. */
  pop(): QueuedPod | undefined {
    const queued = this.#refused.pop();
    if (this.size === 0) this.close();
    return queued;
  }

  get hasRefused(): boolean {
    return this.#refused.size > 0;
  }

  close(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #heapOf({ queue }: QueuedPod): Heap<QueuedPod> {
    return queue === "backoff" ? this.#refused : this.#failed;
  }

  #until(queued: QueuedPod): number {
    const count = queued.consecutiveErrorsCount > 0 ? queued.consecutiveErrorsCount : queued.unschedulableCount;
    const { initialMs, maxMs } = this.#options;
    if (count === 0 || maxMs === 0) return Number.NEGATIVE_INFINITY;
    queued.backoffExpiration ??= wholeWindow(queued.queuedAt + Math.min(maxMs, initialMs * 2 ** (count - 1)));
    return queued.backoffExpiration;
  }

  #schedule(): void {
    const untils = [this.#refused.first, this.#failed.first].map((first) => (first === undefined ? Infinity : this.#until(first)));
    const at = Math.min(...untils) + windowMs;
    if (at >= this.#timerAt) return;
    this.close();
    if (!Number.isFinite(at) && at > 0) return;
    this.#timerAt = at;
    const { clock } = this.#options;
    this.#timer = clock.schedule(Math.max(0, at - clock.now()), () => this.#flush());
  }

  #flush(): void {
    this.close();
    for (const heap of [this.#refused, this.#failed]) {
      for (let first = heap.first; first !== undefined && !this.isWaiting(first); first = heap.first) {
        heap.pop();
        this.#options.onOver(first);
      }
    }
    this.#schedule();
  }
}

const wholeWindow = (ms: number): number => Math.floor(ms / windowMs) * windowMs;
