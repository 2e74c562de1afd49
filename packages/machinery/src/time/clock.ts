/** Time and chance are parameters: whoever needs them takes these. */

export interface Timer extends Disposable {
  /** Lets the process end while the timer waits. */
  unref(): void;
}

/** Where time comes from, and timers: a parameter of all that waits. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some fixed moment; never goes backwards. */
  monotonic(): number;
  /** Calls `fn` once after `afterMs`; disposing the timer cancels it. */
  schedule(afterMs: number, fn: () => void): Timer;
}

/** The same clock, but its calendar goes on from now as the monotonic clock does, whoever sets it: to measure by. */
export function steadyClock(clock: Clock): Clock {
  const offset = clock.now() - clock.monotonic();
  return {
    now: () => offset + clock.monotonic(),
    monotonic: () => clock.monotonic(),
    schedule: (afterMs, fn) => clock.schedule(afterMs, fn),
  };
}

/** Resolves after `ms`; rejects with the signal's reason when aborted first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    };
    const timer = clock.schedule(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Chance as a parameter: uuids, suffixes and jitter all come from here. */
export interface RandomSource {
  /** A float in [0, 1). */
  next(): number;
  /** A version 4 UUID in lower case. */
  uuid(): string;
}
