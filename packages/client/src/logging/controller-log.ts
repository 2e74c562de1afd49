/** Constant messages with fields, as pino takes them. */
export interface ControllerLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

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
