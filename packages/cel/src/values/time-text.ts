/** Times and durations as Go reads and writes them, to the nanosecond. */
import { trimLeft, trimRight } from "@coxswain/machinery";
import { nanosPerSecond } from "./range.ts";

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Nanoseconds since the epoch; undefined where Go's time.Parse reports an error. */
export function parseTimestamp(text: string): bigint | undefined {
  const found = rfc3339.exec(text);
  if (!found) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const [zoneHour, zoneMinute] = [Number(found[9] ?? 0), Number(found[10] ?? 0)];
  if (zoneHour > 24 || zoneMinute > 59) return undefined;
  const offset = (found[8] === "-" ? -1 : 1) * (zoneHour * 60 + zoneMinute) * 60;
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
  return BigInt(seconds) * nanosPerSecond + BigInt((found[7] ?? "").slice(0, 9).padEnd(9, "0"));
}

/** In UTC, with as many digits of a second as are needed. */
export function formatTimestamp(nanos: bigint): string {
  const seconds = floorDivide(nanos, nanosPerSecond);
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${text}${fraction(nanos - seconds * nanosPerSecond)}Z`;
}

/** In seconds: `-1.5s`. */
export function formatDuration(nanos: bigint): string {
  const positive = nanos < 0n ? -nanos : nanos;
  return `${nanos < 0n ? "-" : ""}${positive / nanosPerSecond}${fraction(positive % nanosPerSecond)}s`;
}

const unitNanos: Readonly<Record<string, bigint>> = {
  __proto__: null as never,
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: nanosPerSecond,
  m: 60n * nanosPerSecond,
  h: 3600n * nanosPerSecond,
};

/** Each begins where the one before it ends. */
const durationPart = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/gy;
/** Of nanoseconds in 64 bits. */
const maxWholeDigits = 19;
/** Far below a nanosecond. */
const maxDecimals = 30;
const maxDuration = 2n ** 63n;

/** Nanoseconds of `1h30m`, `-1.5s` or `0`; undefined where Go's time.ParseDuration reports an error. */
export function parseDuration(text: string): bigint | undefined {
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0n;
  let total = 0n;
  let end = 0;
  for (const [part, digits = "", decimals = "", unit = ""] of unsigned.matchAll(durationPart)) {
    const whole = trimLeft(digits, "0");
    if (digits + decimals === "" || whole.length > maxWholeDigits) return undefined;
    const fraction = decimals.slice(0, maxDecimals);
    total += ((unitNanos[unit] ?? 0n) * BigInt(`0${whole}${fraction}`)) / 10n ** BigInt(fraction.length);
    if (total > maxDuration) return undefined;
    end += part.length;
  }
  if (end === 0 || end < unsigned.length) return undefined;
  const value = text.startsWith("-") ? -total : total;
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Towards the past, also before the epoch. */
export const floorDivide = (a: bigint, b: bigint): bigint => (a % b < 0n ? a / b - 1n : a / b);

function fraction(nanos: bigint): string {
  if (nanos === 0n) return "";
  return `.${trimRight(String(nanos).padStart(9, "0"), "0")}`;
}
