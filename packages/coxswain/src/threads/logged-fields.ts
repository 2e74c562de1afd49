/** The fields of what a thread logs, on their way to the log of the process: classes do not survive it. */

/** An error as the log shows it. */
export interface LoggedError {
  /** The name of its class. */
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause: LoggedField | undefined;
  /** What else it has: codes, statuses. */
  readonly more: unknown;
}

export type LoggedField = { readonly value: unknown } | { readonly error: LoggedError };

export const fieldsForPort = (fields: object): Record<string, LoggedField> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fieldForPort(value)]));

export const fieldsFromPort = (fields: Readonly<Record<string, LoggedField>>): object =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldFromPort(field)]));

function fieldForPort(value: unknown): LoggedField {
  if (!(value instanceof Error)) return { value: plain(value) };
  const { cause, ...more } = value;
  const { message, stack } = value;
  const causeField = value.cause === undefined ? undefined : fieldForPort(value.cause);
  return { error: { type: value.constructor.name, message, stack, cause: causeField, more: plain({ ...more }) } };
}

/** As JSON has it: that is how it is logged. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? undefined : value;
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return String(value);
  }
}

function fieldFromPort(field: LoggedField): unknown {
  if (!("error" in field)) return field.value;
  const { type, message, stack, cause, more } = field.error;
  // The log takes the type from the class.
  const { [type]: Class = Error } = { [type]: class extends Error {} };
  const error = new Class(message, cause === undefined ? {} : { cause: fieldFromPort(cause) });
  return Object.assign(error, more, { stack });
}
