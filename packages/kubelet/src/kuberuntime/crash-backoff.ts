/**
 * How long a container that keeps ending waits before it is started again. Forgotten with the kubelet's own end.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-restarts
 */
import type { Clock } from "@coxswain/machinery";

const firstMs = 10_000;
const maxMs = 300_000;

interface Delay {
  readonly ms: number;
  /** When it was last made longer. */
  readonly at: number;
}

export class CrashBackoff {
  readonly #clock: Clock;
  readonly #delays = new Map<string, Delay>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The delay under way since the container ended; undefined when it is over, or there was none. Times in milliseconds since the epoch. */
  delayAfter(container: string, finishedAt: number): number | undefined {
    const delay = this.#delays.get(container);
    if (delay === undefined || isForgotten(delay, finishedAt)) return undefined;
    return this.#clock.now() - finishedAt < delay.ms ? delay.ms : undefined;
  }

  /** It is started again now: the next time it waits longer, unless it has run for long. */
  lengthen(container: string, finishedAt: number): void {
    const delay = this.#delays.get(container);
    const ms = delay === undefined || isForgotten(delay, finishedAt) ? firstMs : Math.min(2 * delay.ms, maxMs);
    this.#delays.set(container, { ms, at: this.#clock.now() });
  }

  forget(container: string): void {
    this.#delays.delete(container);
  }
}

/** It ran for twice the longest delay. */
const isForgotten = ({ at }: Delay, finishedAt: number): boolean => finishedAt - at > 2 * maxMs;
