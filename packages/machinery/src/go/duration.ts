import { goQuote } from "./quote.ts";

/** Milliseconds. */
const units: Readonly<Record<string, number>> = {
  __proto__: null as never,
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const part = /(\d*(?:\.\d*)?)([^\d.]*)/y;
/** What 64 bits of nanoseconds hold. */
const maxMs = 2 ** 63 / 1e6;

/**
 * A duration as Go's programs take them on the command line and in queries: `1h30m`, `-1.5s`, `0`.
 * @returns milliseconds, or Go's sentence about what is wrong
 * @see https://pkg.go.dev/time#ParseDuration
 */
export function parseGoDuration(text: string): number | string {
  const invalid = `time: invalid duration ${goQuote(text)}`;
  const unsigned = text.replace(/^[-+]/, "");
  if (unsigned === "0") return 0;
  if (unsigned === "") return invalid;
  let total = 0;
  part.lastIndex = 0;
  while (part.lastIndex < unsigned.length) {
    const [, number = "", unit = ""] = part.exec(unsigned) ?? [];
    if (!/\d/.test(number)) return invalid;
    if (unit === "") return `time: missing unit in duration ${goQuote(text)}`;
    const size = Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (size === undefined) return `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
    total += Number(number) * size;
    if (total >= maxMs) return invalid;
  }
  return text.startsWith("-") ? -total : total;
}

/** As Go's `Duration.String` prints it: `1m30s`, `1.5s`, `200ms`. */
export function formatGoDuration(ms: number): string {
  const nanos = Math.round(Math.abs(ms) * 1e6);
  const sign = ms < 0 && nanos > 0 ? "-" : "";
  if (nanos === 0) return "0s";
  if (nanos < 1e3) return `${sign}${nanos}ns`;
  if (nanos < 1e6) return `${sign}${nanos / 1e3}µs`;
  if (nanos < 1e9) return `${sign}${nanos / 1e6}ms`;
  const minutes = Math.floor(nanos / 6e10);
  const seconds = (nanos - minutes * 6e10) / 1e9;
  if (minutes === 0) return `${sign}${seconds}s`;
  const hours = Math.floor(minutes / 60);
  return `${sign}${hours === 0 ? "" : `${hours}h`}${minutes % 60}m${seconds}s`;
}
