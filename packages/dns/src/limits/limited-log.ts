/** Messages that others can cause at will: one now and then, and how many were left out. */
import type { Clock } from "@coxswain/machinery";

const quietMs = 10_000;

/** Wraps what logs: after each call further ones are counted for ten seconds, and the next one says how many they were. */
export function limitedLog(clock: Clock, log: (fields: object) => void): (fields: object) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (fields) => {
    const now = clock.monotonic();
    if (now < quietUntil) {
      suppressed++;
      return;
    }
    log(suppressed === 0 ? fields : { ...fields, suppressed });
    quietUntil = now + quietMs;
    suppressed = 0;
  };
}
