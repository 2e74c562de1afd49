/** What runs beside the server and fails begins anew, later each time, as a Pod of it would. */
import type { Log } from "@coxswain/apiserver";
import { type Clock, sleep } from "@coxswain/machinery";

/** Milliseconds from one failure to the next attempt. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

export interface Renewed {
  /** In logs. */
  readonly component: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Until the signal is aborted; `well` is called once it runs as it should, so that the next failure counts as the first. */
  readonly run: (signal: AbortSignal, well: () => void) => Promise<void>;
}

/** Resolves when the signal is aborted and what ran has ended. */
export async function beginAnew({ component, clock, log, run }: Renewed, signal: AbortSignal): Promise<void> {
  let pauseMs = firstPauseMs;
  const well = (): void => {
    pauseMs = firstPauseMs;
  };
  while (!signal.aborted) {
    try {
      await run(signal, well);
    } catch (error) {
      if (signal.aborted) return log.error({ component, error }, "the component did not end in order");
      log.error({ component, error, againInMs: pauseMs }, "the component failed and begins anew");
      await sleep(clock, pauseMs, signal).catch(() => undefined);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }
}
