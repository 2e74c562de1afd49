/** Pulls so many images at a time, and what several want in the same way once for all of them. */
import type { Clock } from "@coxswain/machinery";

interface Pull {
  readonly stop: AbortController;
  waiters: number;
  readonly done: Promise<Pulled>;
}

export interface Pulled {
  readonly ref: string;
  /** Without the time in the queue. */
  readonly tookMs: number;
}

export class PullQueue {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #pulls = new Map<string, Pull>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** A pull is aborted once no Pod waits for it. */
  async pull(key: string, run: (signal: AbortSignal) => Promise<string>, signal: AbortSignal): Promise<Pulled> {
    signal.throwIfAborted();
    const pull = this.#pulls.get(key) ?? this.#begin(key, run);
    pull.waiters++;
    const given = Promise.withResolvers<never>();
    const onAbort = (): void => given.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([pull.done, given.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
      if (--pull.waiters === 0) {
        if (this.#pulls.get(key) === pull) this.#pulls.delete(key);
        pull.stop.abort(new Error("nobody wants the image any more"));
      }
    }
  }

  #begin(key: string, run: (signal: AbortSignal) => Promise<string>): Pull {
    const stop = new AbortController();
    const done = this.#inTurn(run, stop.signal).finally(() => {
      if (this.#pulls.get(key)?.stop === stop) this.#pulls.delete(key);
    });
    // Each waiting Pod gets the outcome.
    done.catch(() => undefined);
    const pull = { stop, waiters: 0, done };
    this.#pulls.set(key, pull);
    return pull;
  }

  async #inTurn(run: (signal: AbortSignal) => Promise<string>, signal: AbortSignal): Promise<Pulled> {
    if (this.#running >= this.#most) await this.#turn(signal);
    else this.#running++;
    try {
      const begunAt = this.#clock.monotonic();
      const ref = await run(signal);
      return { ref, tookMs: this.#clock.monotonic() - begunAt };
    } finally {
      const next = this.#waiting.shift();
      // A turn is handed on, not given back.
      if (next === undefined) this.#running--;
      else next();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const onAbort = (): void => {
      const at = this.#waiting.indexOf(resolve);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }
}
