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

/** A number in the text, with its name in Go's layouts and in messages; the limits are inclusive. */
interface NumberElement {
  readonly name: string;
  readonly layout: string;
  readonly digits: RegExp;
  readonly min: number;
  readonly max: number;
}

const yearElement: NumberElement = { name: "year", layout: "2006", digits: /^\d{4}/, min: 0, max: 9999 };
const monthElement: NumberElement = { name: "month", layout: "01", digits: /^\d\d/, min: 1, max: 12 };
/** How many days a month has is asked when the month is known. */
const dayElement: NumberElement = { name: "day", layout: "02", digits: /^\d\d/, min: 0, max: 99 };
const hourElement: NumberElement = { name: "hour", layout: "15", digits: /^\d\d?/, min: 0, max: 23 };
const minuteElement: NumberElement = { name: "minute", layout: "04", digits: /^\d\d/, min: 0, max: 59 };
const secondElement: NumberElement = { name: "second", layout: "05", digits: /^\d\d/, min: 0, max: 59 };

function parse(text: string, layout: string): Instant {
  const reader = new TimeReader(text, layout);
  const year = reader.number(yearElement);
  reader.literal("-");
  const month = reader.number(monthElement);
  reader.literal("-");
  const day = reader.number(dayElement);
  reader.literal("T");
  const hour = reader.number(hourElement);
  reader.literal(":");
  const minute = reader.number(minuteElement);
  reader.literal(":");
  const second = reader.number(secondElement);
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

  number(element: NumberElement): number {
    const digits = element.digits.exec(this.#rest)?.[0];
    if (digits === undefined) throw this.#mismatch(element.layout);
    this.#rest = this.#rest.slice(digits.length);
    const value = Number(digits);
    if (value < element.min || value > element.max) throw this.problem(`${element.name} out of range`);
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
