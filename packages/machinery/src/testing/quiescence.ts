/** How a test that claims "nothing happened" gives it the chance to happen. */
import type { ManualClock } from "../time/manual-clock.ts";

/** What has to stand still, and for how long. */
export interface QuiescenceOptions {
  /** Timers that are due now run; while others are set, cancelled or let go, something goes on. */
  readonly clock?: Pick<ManualClock, "advance" | "due" | "waiting" | "wanted">;
  /** What else changes while something goes on: lengths of queues, numbers of calls. Compared as JSON. */
  readonly observe?: () => unknown;
  /** How many turns of the event loop in a row have to pass without a change. */
  readonly turns?: number;
}

const maxTurns = 100_000;

/**
 * Resolves once the clock and what `observe` returns have stood still for some turns of the event loop, each with all its
 * microtasks. What comes from another process or thread shows only when it has come: wait for that with `waitUntil`.
 * @throws Error when there is no rest after 100,000 turns
 */
export async function quiescence({ clock, observe, turns = 20 }: QuiescenceOptions = {}): Promise<void> {
  const state = (): string => JSON.stringify([clock?.due, clock?.waiting, clock?.wanted, observe?.()]);
  let before = state();
  for (let quiet = 0, turn = 0; quiet < turns; turn++) {
    if (turn === maxTurns) throw new Error(`no quiescence after ${maxTurns} turns of the event loop; now: ${before}`);
    clock?.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
    const now = state();
    quiet = now === before ? quiet + 1 : 0;
    before = now;
  }
}
