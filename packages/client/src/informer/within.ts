import type { Clock } from "@coxswain/machinery";

/** Limits of a wait: a signal that ends it, and how long it may take in milliseconds. */
export interface Bounds {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/**
 * The promise's outcome, unless the signal is aborted or time runs out before. What is waited for goes on.
 * @throws what `late` makes when time has run out
 */
export async function within<R>(promise: Promise<R>, clock: Clock, { signal, timeoutMs }: Bounds, late: () => Error): Promise<R> {
  // A caller that gives up before awaiting it would leave its rejection unhandled.
  promise.catch(() => undefined);
  signal?.throwIfAborted();
  const end = Promise.withResolvers<never>();
  const onAbort = () => end.reject(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = Number.isFinite(timeoutMs) ? clock.schedule(timeoutMs, () => end.reject(late())) : undefined;
  try {
    return await Promise.race([promise, end.promise]);
  } finally {
    timer?.[Symbol.dispose]();
    signal?.removeEventListener("abort", onAbort);
  }
}
