/** What a command logs to standard error, and how. */
import { type Command, Option } from "commander";

export const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
const logFormats = ["text", "json"] as const;

/** The options of the log, parsed. */
export interface LogOptions {
  readonly logLevel: (typeof logLevels)[number];
  /** Undefined: text on a terminal, and else JSON. */
  readonly logFormat?: (typeof logFormats)[number] | undefined;
}

export const addLogOptions = (command: Command): Command =>
  command
    .addOption(new Option("--log-level <level>", "how much to log to standard error").choices(logLevels).default("info"))
    .addOption(new Option("--log-format <form>", "how to log (default: text on a terminal, and else json)").choices(logFormats));
