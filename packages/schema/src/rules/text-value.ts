/** Texts whose format says that they are times, durations or bytes. */
import { CelDuration, CelError, CelTimestamp, type CelValue, parseDuration, parseTimestamp } from "@coxswain/cel";

/** @throws CelError */
export function textValue(text: string, format: string | undefined): CelValue {
  switch (format) {
    case "date":
      return timestamp(parseTimestamp(`${text}T00:00:00Z`), `Invalid date formatted string ${text}`);
    case "date-time":
      return timestamp(dateTimeNanos(text), `Invalid date-time formatted string ${text}`);
    case "duration":
      return duration(parseDuration(text) ?? namedDuration(text), text);
    case "byte":
      return bytes(text);
    default:
      return text;
  }
}

/** Without a zone it is UTC. */
const dateTimeNanos = (text: string): bigint | undefined => (text === "" ? 0n : (parseTimestamp(text) ?? parseTimestamp(`${text}Z`)));

function timestamp(nanos: bigint | undefined, problem: string): CelTimestamp {
  if (nanos === undefined) throw new CelError(`${problem}: cannot parse it`);
  return new CelTimestamp(nanos);
}

function duration(nanos: bigint | undefined, text: string): CelDuration {
  if (nanos === undefined) throw new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
  return new CelDuration(nanos);
}

const second = 1_000_000_000n;
/** Names of a unit; of the last any continuation will do: `days`. */
const units: readonly (readonly [nanos: bigint, ...names: string[]])[] = [
  [1n, "ns", "nano"],
  [1_000n, "us", "µs", "micro"],
  [1_000_000n, "ms", "milli"],
  [second, "s", "sec"],
  [60n * second, "m", "min"],
  [3_600n * second, "h", "hr", "hour"],
  [86_400n * second, "d", "day"],
  [604_800n * second, "w", "wk", "week"],
];

/** All numbers with a unit, whatever stands between them: `2 days`. */
function namedDuration(text: string): bigint | undefined {
  let total: bigint | undefined;
  for (const [, number = "", name = ""] of text.matchAll(/(?<!\d)(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const lower = name.toLowerCase();
    const unit = units.find(([, ...names]) => names.includes(lower) || lower.startsWith(names.at(-1) ?? lower));
    if (unit !== undefined) total = (total ?? 0n) + BigInt(number) * unit[0];
  }
  return total === undefined ? undefined : BigInt.asIntN(64, total);
}

function bytes(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    throw new CelError(`Invalid byte formatted string ${text}: illegal base64 data`);
  }
}
