/** Pods that were refused and wait for something to happen, though not for ever. */
import type { Clock, Timer } from "@coxswain/machinery";
import type { WaitingPod } from "./waiting-pod.ts";

/** How often it is looked who has waited for too long; milliseconds. */
const lookEveryMs = 30_000;

export class UnschedulablePods implements Iterable<WaitingPod> {
  readonly #clock: Clock;
  readonly #maxMs: number;
  readonly #onLong: (waiting: WaitingPod) => void;
  readonly #pods = new Set<WaitingPod>();
  #timer: Timer | undefined;

  /** `onLong` is told of those that have waited for more than `maxMs`, but of none that a gate holds. */
  constructor(clock: Clock, maxMs: number, onLong: (waiting: WaitingPod) => void) {
    this.#clock = clock;
    this.#maxMs = maxMs;
    this.#onLong = onLong;
  }

  /** As they are now: they may be taken out meanwhile. */
  [Symbol.iterator](): Iterator<WaitingPod> {
    return [...this.#pods][Symbol.iterator]();
  }

  get sizes(): { readonly unschedulable: number; readonly gated: number } {
    let gated = 0;
    for (const { gatedBy } of this.#pods) if (gatedBy !== undefined) gated++;
    return { unschedulable: this.#pods.size - gated, gated };
  }

  add(waiting: WaitingPod): void {
    waiting.place = "unschedulable";
    this.#pods.add(waiting);
    this.#lookLater();
  }

  delete(waiting: WaitingPod): void {
    this.#pods.delete(waiting);
  }

  close(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #lookLater(): void {
    if (this.#timer !== undefined || this.#pods.size === 0) return;
    this.#timer = this.#clock.schedule(lookEveryMs, () => {
      this.#timer = undefined;
      const before = this.#clock.now() - this.#maxMs;
      for (const waiting of this) if (waiting.queuedAt < before && waiting.gatedBy === undefined) this.#onLong(waiting);
      this.#lookLater();
    });
    this.#timer.unref();
  }
}
