/** Numbers as Go's strconv reads and writes them. */
import { trimLeft } from "@coxswain/machinery";

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const hexadecimal = /^([+-]?)0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d+)$/;

/** Undefined where Go reports an error; also for what is too big. */
export function parseGoFloat(text: string): number | undefined {
  if (/^[+-]?inf(?:inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  const hex = hexadecimal.exec(text);
  const joined = text.replace(/(?<=\d)_(?=\d)/g, "");
  const value = hex ? parseHexFloat(hex) : decimal.test(joined) ? Number(joined) : Infinity;
  return Number.isFinite(value) ? value : undefined;
}

function parseHexFloat([, sign = "", whole = "", fraction = "", exponent = ""]: RegExpExecArray): number {
  const digits = whole + fraction;
  if (digits === "") return Infinity;
  return (sign === "-" ? -1 : 1) * Number(`0x${digits}`) * 2 ** (Number(exponent) - 4 * fraction.length);
}

/** The shortest text that reads as the same number: with an exponent where that is below -4 or above 5. */
export function formatGoFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Undefined unless it is a decimal number that an int holds. */
export function parseInt64(text: string): bigint | undefined {
  const digits = digitsOf(text.replace(/^[+-]/, ""));
  if (digits === undefined) return undefined;
  const value = text.startsWith("-") ? -BigInt(digits) : BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Undefined unless it is a decimal number that a uint holds. */
export function parseUint64(text: string): bigint | undefined {
  const digits = digitsOf(text);
  if (digits === undefined) return undefined;
  const value = BigInt(digits);
  return BigInt.asUintN(64, value) === value ? value : undefined;
}

/** Of 64 bits. */
const maxDigits = 20;

/** Undefined for more than can count: the time that a BigInt takes to read grows with the square of its digits. */
function digitsOf(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const digits = trimLeft(text, "0");
  return digits.length > maxDigits ? undefined : digits || "0";
}
