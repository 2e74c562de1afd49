/** What every command has of its process: options and a log. */
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

/** Operating system and architecture by the names that Go has for them. */
export const platformName = (): string => `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;
