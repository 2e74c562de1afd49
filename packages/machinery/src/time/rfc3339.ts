/**
 * Times on the wire: RFC 3339. Kubernetes answers in UTC, whole seconds for Time and six digits for MicroTime,
 * and explains a bad one as Go's time package does.
 */
import { goQuote } from "../go/quote.ts";
import { DecodeError } from "../values/decode-error.ts";

/** A moment with Go's precision. */
export interface Instant {
  /** Since 1970, UTC; whole. */
  readonly seconds: number;
  /** 0 to 999,999,999. */
  readonly nanos: number;
}

const plain = "2006-01-02T15:04:05Z07:00";
const micro = "2006-01-02T15:04:05.000000Z07:00";

/** What Go's zero time says; on the wire that is null. */
const zeroSeconds = -62135596800;

/** The text that Kubernetes would answer; undefined for the zero time. @throws DecodeError */
export function canonicalTime(text: string): string | undefined {
  if (isPlainUtc(text)) return text;
  return formatTime(parseTime(text));
}

/** Like canonicalTime. The text needs exactly six digits of a second. @throws DecodeError */
export function canonicalMicroTime(text: string): string | undefined {
  return formatMicroTime(parseMicroTime(text));
}

/** Parses a `metav1.Time`, RFC 3339; fractions of a second are kept. @throws DecodeError with Go's message */
export const parseTime = (text: string): Instant => parse(text, plain);

/** Parses a `metav1.MicroTime`, RFC 3339 with exactly six digits behind the second. @throws DecodeError with Go's message */
export const parseMicroTime = (text: string): Instant => parse(text, micro);

/** Undefined for the zero time. */
export function formatTime({ seconds, nanos }: Instant): string | undefined {
  if (seconds === zeroSeconds && nanos === 0) return undefined;
  return `${dateTime(seconds)}Z`;
}

/** Prints a `metav1.MicroTime`: RFC 3339 in UTC with six digits. Undefined for the zero time. */
export function formatMicroTime({ seconds, nanos }: Instant): string | undefined {
  if (seconds === zeroSeconds && nanos === 0) return undefined;
  const digits = String(Math.floor(nanos / 1000)).padStart(6, "0");
  return `${dateTime(seconds)}.${digits}Z`;
}

/** `2006-01-02T15:04:05`. @throws DecodeError beyond what a Date can hold */
function dateTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw new DecodeError(`the time is out of range: ${seconds} seconds`);
  return date.toISOString().replace(/\.\d+Z$/, "");
}

const utc = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$/;

/** The form that needs no change; days that every month has, so that no calendar is needed. */
function isPlainUtc(text: string): boolean {
  const match = text.length === 20 ? utc.exec(text) : null;
  if (match === null) return false;
  const [, year = "", month = "", day = "", hour = "", minute = "", second = ""] = match;
  return year > "0001" && month > "00" && month < "13" && day > "00" && day < "29" && hour < "24" && minute < "60" && second < "60";
}

function parse(text: string, layout: string): Instant {
  const reader = new TimeReader(text, layout);
  const year = reader.number("2006", 4, 4, 0, 9999, "year");
  reader.literal("-");
  const month = reader.number("01", 2, 2, 1, 12, "month");
  reader.literal("-");
  const day = reader.number("02", 2, 2, 0, 99, "day");
  reader.literal("T");
  const hour = reader.number("15", 1, 2, 0, 23, "hour");
  reader.literal(":");
  const minute = reader.number("04", 2, 2, 0, 59, "minute");
  reader.literal(":");
  const second = reader.number("05", 2, 2, 0, 59, "second");
  const nanos = layout === micro ? reader.sixDigits() : reader.fraction();
  const offset = reader.zone();
  reader.end();
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  if (day < 1 || day > date.getUTCDate()) throw reader.problem("day out of range");
  date.setUTCFullYear(year, month - 1, day);
  return { seconds: date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset, nanos };
}

class TimeReader {
  readonly #text: string;
  readonly #layout: string;
  #rest: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  literal(expected: string): void {
    if (!this.#rest.startsWith(expected)) throw this.#mismatch(expected);
    this.#rest = this.#rest.slice(expected.length);
  }

  number(element: string, minDigits: number, maxDigits: number, min: number, max: number, what: string): number {
    const digits = new RegExp(`^\\d{${minDigits},${maxDigits}}`).exec(this.#rest)?.[0];
    if (digits === undefined) throw this.#mismatch(element);
    this.#rest = this.#rest.slice(digits.length);
    const value = Number(digits);
    if (value < min || value > max) throw this.problem(`${what} out of range`);
    return value;
  }

  fraction(): number {
    const digits = /^[.,](\d+)/.exec(this.#rest)?.[1];
    if (digits === undefined) return 0;
    this.#rest = this.#rest.slice(digits.length + 1);
    return Number(digits.slice(0, 9).padEnd(9, "0"));
  }

  sixDigits(): number {
    const digits = /^[.,](\d{6})/.exec(this.#rest)?.[1];
    if (digits === undefined) throw this.#mismatch(".000000");
    this.#rest = this.#rest.slice(7);
    return Number(digits) * 1000;
  }

  /** Seconds east of Greenwich. */
  zone(): number {
    if (this.#rest.startsWith("Z")) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const match = /^([-+])(\d\d):(\d\d)/.exec(this.#rest);
    if (match === null) throw this.#mismatch("Z07:00");
    this.#rest = this.#rest.slice(6);
    const [, sign, hours, minutes] = match;
    if (Number(hours) > 24) throw this.problem("time zone offset hour out of range");
    if (Number(minutes) > 60) throw this.problem("time zone offset minute out of range");
    return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  }

  end(): void {
    if (this.#rest !== "") throw this.problem(`extra text: ${goQuote(this.#rest)}`);
  }

  problem(what: string): DecodeError {
    return new DecodeError(`parsing time ${goQuote(this.#text)}: ${what}`);
  }

  #mismatch(element: string): DecodeError {
    const as = `as ${goQuote(this.#layout)}: cannot parse ${goQuote(this.#rest)} as ${goQuote(element)}`;
    return new DecodeError(`parsing time ${goQuote(this.#text)} ${as}`);
  }
}
