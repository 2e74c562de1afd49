/** Restarts what runs beside the server when it fails, with a growing backoff, as the kubelet restarts the containers of a Pod. */
import type { Log } from "@coxswain/apiserver";
import { type Clock, sleep } from "@coxswain/machinery";

/** Milliseconds from one failure to the next attempt. */
const initialBackoffMs = 1_000;
const maxBackoffMs = 60_000;

export interface RestartOptions {
  /** In logs. */
  readonly component: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Until the signal is aborted; `onHealthy` is called once it runs as it should, so that the next failure counts as the first. */
  readonly run: (signal: AbortSignal, onHealthy: () => void) => Promise<void>;
}

/** Resolves when the signal is aborted and what ran has ended. */
export async function restartOnFailure({ component, clock, log, run }: RestartOptions, signal: AbortSignal): Promise<void> {
  let pauseMs = initialBackoffMs;
  const onHealthy = (): void => {
    pauseMs = initialBackoffMs;
  };
  while (!signal.aborted) {
    try {
      await run(signal, onHealthy);
    } catch (error) {
      if (signal.aborted) return log.error({ component, error }, "failed to stop the component in order");
      log.error({ component, error, againInMs: pauseMs }, "failed to run the component; restarting it");
      await sleep(clock, pauseMs, signal).catch(() => undefined);
      pauseMs = Math.min(2 * pauseMs, maxBackoffMs);
    }
  }
}
