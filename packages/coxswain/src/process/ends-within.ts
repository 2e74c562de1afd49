/** Waits for a process that this one need not have started. */
import { type Clock, sleep } from "@coxswain/machinery";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";

const pollMs = 20;

/** Whether it has ended after so many milliseconds at the latest. */
export async function endsWithin(process: ProcessIdentity, clock: Clock, limitMs: number): Promise<boolean> {
  const deadline = clock.monotonic() + limitMs;
  while (isAlive(process)) {
    if (clock.monotonic() >= deadline) return false;
    await sleep(clock, pollMs);
  }
  return true;
}
