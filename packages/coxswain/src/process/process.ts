/** What every command has of its process: options, a log, and the signals that end it. */
import { constants } from "node:os";
import { systemClock } from "@coxswain/machinery";
import { CommanderError } from "commander";
import { pino } from "pino";
import type { Options, Output } from "../options/cluster-options.ts";

/** Undefined when there is nothing more to do: help was asked for, or something was not understood. */
export function parseCommandLine<O>(parse: (output: Output) => O): O | undefined {
  const print = (text: string): void => void process.stdout.write(text);
  const printError = (text: string): void => void process.stderr.write(text);
  try {
    return parse({ print, printError });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode;
    return undefined;
  }
}

/** Lines of JSON on standard error. */
export function createLog({ logLevel }: Pick<Options, "logLevel">): pino.Logger {
  const settings: pino.LoggerOptions = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
    serializers: { error: pino.stdSerializers.err },
  };
  return pino(settings, pino.destination({ dest: 2, sync: true }));
}

/** Signals that come within this time of the first are the same wish: a terminal and its shell both pass it on. */
const sameSignalMs = 200;

/** The first signal ends everything in order, a second one at once. `end` is asked once. */
export function stopOnSignal(end: () => Promise<void>, log: pino.Logger): void {
  let since: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (since !== undefined) {
      if (systemClock.monotonic() - since > sameSignalMs) process.exit(128 + constants.signals[signal]);
      return;
    }
    since = systemClock.monotonic();
    log.info({ signal }, "stopping");
    end().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error }, "failed to stop in order");
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
}

/** Operating system and architecture by the names that Go has for them. */
export const platformName = (): string => `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;
