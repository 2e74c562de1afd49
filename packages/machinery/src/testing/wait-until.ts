/** How a test waits for what comes from a socket, a file or another process. */
import { systemClock } from "../time/system.ts";

/** Whatever has not come by then never will, however slow the machine is: for waiting only, never to judge how long something took. */
export const hangMs = 5 * 60_000;

/** How to wait, and for how long. */
export interface WaitOptions {
  /** Real milliseconds. */
  readonly limitMs?: number;
  /** What passes between two questions; a turn of the event loop unless it is, for example, time of a clock. */
  readonly pause?: () => Promise<unknown>;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Asks until the condition holds, and returns what it holds with.
 * @param what continues "gave up waiting for …"
 * @throws Error when the condition does not hold after `limitMs`
 */
export async function waitUntil<T>(
  what: string,
  condition: () => T | Promise<T>,
  { limitMs = hangMs, pause = turn }: WaitOptions = {},
): Promise<NonNullable<T>> {
  const end = systemClock.monotonic() + limitMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== null && result !== false) return result;
    if (systemClock.monotonic() >= end) throw new Error(`gave up waiting for ${what} after ${limitMs} ms`);
    await pause();
  }
}
