/**
 * Sidecars end after the containers that they serve, the one that was started last first.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#sidecar-containers-and-pod-lifecycle
 */
import { type Clock, sleep } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";
import { initial, isSidecar, ordinary } from "../pod/pod-state.ts";

export class TerminationOrder {
  readonly #clock: Clock;
  /** Whose end others wait for, by name. */
  readonly #ends = new Map<string, PromiseWithResolvers<void>>();
  readonly #before = new Map<string, readonly string[]>();

  /** `running` are the names of the containers that run. */
  constructor(clock: Clock, pod: Pod, running: readonly string[]) {
    this.#clock = clock;
    for (const name of running) this.#ends.set(name, Promise.withResolvers());
    const earlier = ordinary(pod).map(({ name }) => name);
    for (const container of initial(pod).toReversed()) {
      if (!isSidecar(container)) continue;
      this.#before.set(container.name, [...earlier]);
      earlier.push(container.name);
    }
  }

  /** Resolves when all that go before it have ended, or after so many seconds. */
  async turnOf(name: string, graceSeconds: number, signal: AbortSignal): Promise<void> {
    const ends = (this.#before.get(name) ?? []).flatMap((one) => this.#ends.get(one)?.promise ?? []);
    if (ends.length === 0) return;
    const done = new AbortController();
    const time = sleep(this.#clock, graceSeconds * 1000, AbortSignal.any([signal, done.signal])).catch(() => undefined);
    await Promise.race([Promise.all(ends), time]);
    done.abort();
    signal.throwIfAborted();
  }

  markEnded(name: string): void {
    this.#ends.get(name)?.resolve();
  }
}
