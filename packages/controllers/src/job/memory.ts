/** What the Job controller remembers from one reconcile of a Job to the next, and may forget without harm. */
import type { Job } from "./job-settings.ts";
import { noFailures, type PodFailures } from "./pod-backoff.ts";

/** Pods of a Job often end together: changes within this time are reconciled at once, unless the spec has changed. */
const batchMs = 1_000;

interface Remembered {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly deletion: string | undefined;
  readonly reconciledAt: number;
  readonly failures: PodFailures;
}

export class JobMemory {
  readonly #jobs = new Map<string, Remembered>();

  forget(key: string): void {
    this.#jobs.delete(key);
  }

  /** Milliseconds to wait before the Job is reconciled; with 0 it is reconciled now. */
  waitMs(key: string, { metadata }: Job, nowMs: number): number {
    const last = this.#jobs.get(key);
    const { uid, generation, deletionTimestamp: deletion } = metadata ?? {};
    const isSame = last !== undefined && last.uid === uid && last.generation === generation && last.deletion === deletion;
    const leftMs = isSame ? last.reconciledAt + batchMs - nowMs : 0;
    // A clock that was set back must not stop everything.
    if (leftMs > 0 && leftMs <= batchMs) return leftMs;
    this.#jobs.set(key, { uid, generation, deletion, reconciledAt: nowMs, failures: this.#failures(key, uid) });
    return 0;
  }

  failuresOf(key: string, { metadata }: Job): PodFailures {
    return this.#failures(key, metadata?.uid);
  }

  keepFailures(key: string, { metadata }: Job, failures: PodFailures): void {
    const last = this.#jobs.get(key);
    if (last !== undefined && last.uid === metadata?.uid) this.#jobs.set(key, { ...last, failures });
  }

  /** Another Job of the same name has had none. */
  #failures(key: string, uid: string | undefined): PodFailures {
    const last = this.#jobs.get(key);
    return last !== undefined && last.uid === uid ? last.failures : noFailures;
  }
}
