/** The real clock and the real dice. Entry points make them and hand them down. */
import type { Clock, RandomSource } from "./clock.ts";

const maxDelayMs = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(afterMs, fn) {
    const handle: { unref?: () => void } & ReturnType<typeof setTimeout> = setTimeout(fn, Math.min(afterMs, maxDelayMs));
    return { unref: () => handle.unref?.(), [Symbol.dispose]: () => clearTimeout(handle) };
  },
};

/** The machine's source of randomness. */
export const systemRandom: RandomSource = {
  next: () => Math.random(),
  uuid: () => crypto.randomUUID(),
};
