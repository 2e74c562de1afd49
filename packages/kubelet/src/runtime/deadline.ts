/** Nothing is waited for without end: a runtime may hang, and not even heed its signal. */
import type { Clock } from "@coxswain/machinery";

/**
 * What `work` resolves with. When the time is over, or `signal` is aborted, its own signal is aborted and nothing waits for
 * it any longer. @throws DeadlineError, or the signal's reason
 */
export async function within<T>(clock: Clock, ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const { promise: given, reject } = Promise.withResolvers<never>();
  const giveUp = (reason: unknown): void => {
    own.abort(reason);
    reject(reason);
  };
  const onAbort = () => giveUp(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const timer = clock.schedule(ms, () => giveUp(new DeadlineError(ms)));
  // No process lives on, and no clock goes on, for the sake of what should never happen.
  timer.unref();
  try {
    return await Promise.race([work(own.signal), given]);
  } finally {
    timer[Symbol.dispose]();
    signal.removeEventListener("abort", onAbort);
  }
}

export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`context deadline exceeded: no answer in ${Math.round(ms / 1000)}s`);
    this.name = "DeadlineError";
  }
}
