/** The log of a command, on standard error: lines of JSON for programs, text for people at a terminal. */
import { isatty } from "node:tty";
import { pino } from "pino";
import type { LogOptions } from "../options/log-options.ts";
import { logText } from "./log-text.ts";

const standardError = 2;

export function createLog({ logLevel, logFormat = isatty(standardError) ? "text" : "json" }: LogOptions): pino.Logger {
  const settings: pino.LoggerOptions = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
    serializers: { error: pino.stdSerializers.err },
  };
  const destination = pino.destination({ dest: standardError, sync: true });
  if (logFormat === "json") return pino(settings, destination);
  const withStacks = logLevel === "debug" || logLevel === "trace";
  return pino(settings, { write: (line) => void destination.write(logText(line, { withStacks })) });
}
