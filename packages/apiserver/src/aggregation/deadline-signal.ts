import type { Clock } from "@coxswain/machinery";

export interface DeadlineSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** Aborts after so many milliseconds, unless it is disposed of before. */
export function deadlineSignal(clock: Clock, afterMs: number): DeadlineSignal {
  const late = new AbortController();
  const timer = clock.schedule(afterMs, () => late.abort());
  timer.unref();
  return { signal: late.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
