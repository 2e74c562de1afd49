import type { Log } from "@coxswain/apiserver";
import { type LogOptions, logLevels } from "../options/log-options.ts";
import { fieldsForPort } from "./logged-fields.ts";
import type { FromAnyThread } from "./worker-thread.ts";

/** A log whose lines go to that of the process; what that would not show is not sent. */
export function portLog(least: LogOptions["logLevel"], send: (message: FromAnyThread) => void): Log {
  const at = (level: keyof Log) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return () => undefined;
    return (fields: object, message: string): void => send({ kind: "log", level, fields: fieldsForPort(fields), message });
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
