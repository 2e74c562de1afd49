/** A line of the log as people read it. */

interface LogRecord {
  readonly level: string;
  /** RFC 3339. */
  readonly time: string;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

/**
 * `line` is a record in JSON. The text has the time of day of this machine, the level, the message, and the fields behind it;
 * of errors their message alone, and with `withStacks` where they come from.
 */
export function logText(line: string, { withStacks }: { readonly withStacks: boolean }): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as LogRecord;
  const words = [timeOfDay(time), level.toUpperCase().padEnd(5), msg ?? "", ...Object.entries(fields).map(fieldText)];
  const stacks = withStacks ? Object.values(fields).flatMap((value) => (isError(value) ? [value.stack] : [])) : [];
  return `${[words.filter((word) => word !== "").join(" "), ...stacks].join("\n")}\n`;
}

const timeOfDay = (time: string): string => new Date(time).toTimeString().slice(0, 8);

const fieldText = ([name, value]: readonly [string, unknown]): string => `${name}=${valueText(isError(value) ? value.message : value)}`;

/** As logfmt has it: quoted where a space or a quote would be misread. */
function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === "" || (typeof value === "string" && /[\s"=]/.test(text)) ? JSON.stringify(text) : text;
}

const isError = (value: unknown): value is { readonly message: string; readonly stack: string } =>
  typeof value === "object" && value !== null && "stack" in value && "message" in value && typeof value.message === "string";
