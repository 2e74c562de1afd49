/** Logs made of others. */
import type { ControllerLog } from "../contracts/controller-log.ts";

const nothing = (): void => undefined;

export const silentLog: ControllerLog = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Says these fields with every message. */
export function withFields(log: ControllerLog, common: object): ControllerLog {
  return {
    debug: (fields, message) => log.debug({ ...common, ...fields }, message),
    info: (fields, message) => log.info({ ...common, ...fields }, message),
    warn: (fields, message) => log.warn({ ...common, ...fields }, message),
    error: (fields, message) => log.error({ ...common, ...fields }, message),
  };
}
