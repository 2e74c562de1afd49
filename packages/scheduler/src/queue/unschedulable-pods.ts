/** Pods that were refused and wait for something to happen, though not for ever. */
import type { Clock, Timer } from "@coxswain/machinery";
import type { QueuedPod } from "./queued-pod.ts";

/** How often it is looked who has waited for too long; milliseconds. */
const flushIntervalMs = 30_000;

export class UnschedulablePods implements Iterable<QueuedPod> {
  readonly #clock: Clock;
  readonly #maxMs: number;
  readonly #onLong: (queued: QueuedPod) => void;
  readonly #pods = new Set<QueuedPod>();
  #timer: Timer | undefined;

  /** `onLong` is called with those that have waited for more than `maxMs`, but of none that a gate holds. */
  constructor(clock: Clock, maxMs: number, onLong: (queued: QueuedPod) => void) {
    this.#clock = clock;
    this.#maxMs = maxMs;
    this.#onLong = onLong;
  }

  /** As they are now: they may be taken out meanwhile. */
  [Symbol.iterator](): Iterator<QueuedPod> {
    return [...this.#pods][Symbol.iterator]();
  }

  get sizes(): { readonly unschedulable: number; readonly gated: number } {
    let gated = 0;
    for (const { gatingPlugin } of this.#pods) if (gatingPlugin !== undefined) gated++;
    return { unschedulable: this.#pods.size - gated, gated };
  }

  add(queued: QueuedPod): void {
    queued.queue = "unschedulable";
    this.#pods.add(queued);
    this.#scheduleFlush();
  }

  delete(queued: QueuedPod): void {
    this.#pods.delete(queued);
  }

  close(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #scheduleFlush(): void {
    if (this.#timer !== undefined || this.#pods.size === 0) return;
    this.#timer = this.#clock.schedule(flushIntervalMs, () => {
      this.#timer = undefined;
      const before = this.#clock.now() - this.#maxMs;
      for (const queued of this) if (queued.queuedAt < before && queued.gatingPlugin === undefined) this.#onLong(queued);
      this.#scheduleFlush();
    });
    this.#timer.unref();
  }
}
