/** What ends a command from the outside: signals, and the end of its standard input. */
import { constants } from "node:os";
import { systemClock } from "@coxswain/machinery";
import type { pino } from "pino";

/** Signals that come within this time of the first are the same request: a terminal and its shell both pass it on. */
const sameSignalMs = 200;

export interface StopOptions {
  readonly log: pino.Logger;
  /** Whoever started it holds the other end of standard input, and lets go of it however that process ends. */
  readonly onStdinClose?: boolean;
}

/** The first request ends everything in order, a further signal at once. `end` is called once. */
export function stopOnRequest(end: () => Promise<void>, { log, onStdinClose = false }: StopOptions): { isRequested(): boolean } {
  let since: number | undefined;
  const stop = (fields: object): void => {
    since = systemClock.monotonic();
    log.info(fields, "stopping");
    end().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error }, "failed to stop in order");
        process.exit(1);
      },
    );
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (since === undefined) stop({ signal });
    else if (systemClock.monotonic() - since > sameSignalMs) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  if (onStdinClose) onEnd(process.stdin, () => since === undefined && stop({ stdin: "closed" }));
  return { isRequested: () => since !== undefined };
}

/** Input is discarded; where it cannot be read, its other end is closed. */
function onEnd(input: NodeJS.ReadStream, ended: () => void): void {
  input.on("end", ended).on("error", ended).resume();
}
