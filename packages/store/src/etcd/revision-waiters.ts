import type { Clock, Timer } from "@coxswain/machinery";

interface Waiter {
  readonly revision: number;
  /** Monotonic milliseconds. */
  readonly deadline: number;
  resolve(): void;
  reject(error: Error): void;
}

/** When nothing comes by itself, etcd is asked how far the range is known: first so soon, then so often. */
const firstMs = 5;
const againMs = 100;

/** Those that wait for the tree to reach a revision. */
export class RevisionWaiters implements Disposable {
  readonly #clock: Clock;
  readonly #nudge: () => void;
  readonly #late: () => Error;
  #waiters: Waiter[] = [];
  #timer: Timer | undefined;

  /** @param nudge while somebody waits; `late` says why, where it has taken too long */
  constructor(clock: Clock, nudge: () => void, late: () => Error) {
    this.#clock = clock;
    this.#nudge = nudge;
    this.#late = late;
  }

  wait(revision: number, maxMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ revision, deadline: this.#clock.monotonic() + maxMs, resolve, reject });
      this.#timer ??= this.#clock.schedule(firstMs, () => this.#tick());
    });
  }

  reached(revision: number): void {
    if (this.#waiters.length === 0) return;
    const waiting: Waiter[] = [];
    for (const waiter of this.#waiters) {
      if (waiter.revision <= revision) waiter.resolve();
      else waiting.push(waiter);
    }
    this.#waiters = waiting;
    if (waiting.length === 0) this.#stop();
  }

  [Symbol.dispose](): void {
    this.#stop();
    for (const { reject } of this.#waiters.splice(0)) reject(this.#late());
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    const late = this.#waiters.filter(({ deadline }) => deadline <= now);
    if (late.length > 0) {
      this.#waiters = this.#waiters.filter(({ deadline }) => deadline > now);
      for (const { reject } of late) reject(this.#late());
    }
    this.#timer = undefined;
    if (this.#waiters.length === 0) return;
    this.#nudge();
    this.#timer = this.#clock.schedule(againMs, () => this.#tick());
  }

  #stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
