/** Runs one task again whenever there is a reason to, never twice at a time, and never in a hurry. */
import { type Clock, sleep } from "@coxswain/machinery";
import type { Log } from "../contracts/log.ts";

/** So many runs in so much time, and then a pause: whoever undoes what a run does, does not keep the server busy. */
const burst = 100;
const pauseMs = 1_000;
/** After a run that failed. */
const retryMs = 10_000;

export interface ReconcileLoopOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** For the log: what is kept. */
  readonly what: string;
}

export class ReconcileLoop implements AsyncDisposable {
  readonly #options: ReconcileLoopOptions;
  readonly #reconcile: () => Promise<void>;
  readonly #stop = new AbortController();
  #isWanted = false;
  #burst = { since: 0, runs: 0 };
  #isRunning = false;
  #running: Promise<void> | undefined;

  constructor(options: ReconcileLoopOptions, reconcile: () => Promise<void>) {
    this.#options = options;
    this.#reconcile = reconcile;
  }

  trigger(): void {
    this.#isWanted = true;
    if (!this.#isRunning) this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Whoever triggers after `#isWanted` was read for the last time finds that nothing runs.
    while (this.#isWanted && !this.#stop.signal.aborted) {
      this.#isWanted = false;
      await this.#runOnce();
    }
    this.#isRunning = false;
  }

  async #runOnce(): Promise<void> {
    const { clock, log, what } = this.#options;
    const { signal } = this.#stop;
    if (this.#exceedsBurst()) await sleep(clock, pauseMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await this.#reconcile();
    } catch (error) {
      log.warn({ error, what }, "failed to reconcile");
      this.#isWanted = true;
      await sleep(clock, retryMs, signal).catch(() => undefined);
    }
  }

  #exceedsBurst(): boolean {
    const now = this.#options.clock.monotonic();
    if (now - this.#burst.since >= pauseMs) this.#burst = { since: now, runs: 0 };
    this.#burst.runs += 1;
    return this.#burst.runs > burst;
  }
}
