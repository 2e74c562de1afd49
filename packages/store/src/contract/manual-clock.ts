import type { Clock } from "@coxswain/machinery";

export interface ManualClock extends Clock {
  /** Lets time pass; what falls due is called, in order, before it returns. */
  advance(ms: number): void;
}

/** A clock that stands still until a test advances it. */
export function manualClock(now = 1_700_000_000_000): ManualClock {
  let elapsed = 0;
  const timers = new Set<{ due: number; fn: () => void }>();
  const nextBefore = (end: number) => [...timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0];
  return {
    now: () => now + elapsed,
    monotonic: () => elapsed,
    schedule(afterMs, fn) {
      const timer = { due: elapsed + afterMs, fn };
      timers.add(timer);
      return { unref: () => {}, [Symbol.dispose]: () => timers.delete(timer) };
    },
    advance(ms) {
      const end = elapsed + ms;
      for (let timer = nextBefore(end); timer !== undefined; timer = nextBefore(end)) {
        timers.delete(timer);
        elapsed = timer.due;
        timer.fn();
      }
      elapsed = end;
    },
  };
}
