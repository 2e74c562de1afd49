/**
 * Amounts of CPU, memory and everything else that is counted: exact decimal numbers with a suffix.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */

/** How an amount is written: `12M`, `12Mi` or `12e6`. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** An exact, immutable amount. */
export interface Quantity {
  readonly format: QuantityFormat;
  /** -1, 0 or 1. */
  sign(): -1 | 0 | 1;
  /** Negative, zero or positive, as this is less than, equal to or greater than the other. */
  compare(other: Quantity): -1 | 0 | 1;
  /** In this format, or in the other's when this is zero. */
  add(other: Quantity): Quantity;
  sub(other: Quantity): Quantity;
  neg(): Quantity;
  mul(factor: bigint): Quantity;
  /** Away from zero, to a multiple of 10^`exponent`. Kubernetes rounds resource lists to -3, thousandths. */
  roundUp(exponent: number): Quantity;
  /** The nearest double. */
  toNumber(): number;
  /** What Kubernetes' expressions take it for: the digits as they were written, times a power of ten that is a double. */
  toApproximateNumber(): number;
  /** Undefined for what Kubernetes does not keep as a 64-bit integer: what is too large, or was written in smaller units, as `1000m`. */
  toInt64(): bigint | undefined;
  /** Whole units, rounded away from zero. */
  value(): bigint;
  /** Thousandths, rounded away from zero. */
  milli(): bigint;
  /** As Kubernetes prints it: the text as parsed when that is canonical enough, else the shortest exact form. */
  toString(): string;
  toJSON(): string;
}

/** Undefined when the text is no quantity; `quantityProblem` then says why. */
export function parseQuantity(text: string): Quantity | undefined {
  const result = read(text);
  return typeof result === "string" ? undefined : result;
}

/** How Kubernetes prints the text's quantity; undefined when it is none. Most texts stand already as it would print them. */
export function canonicalQuantity(text: string): string | undefined {
  return /^[1-9]\d{0,11}m?$/.test(text) && !/000m?$/.test(text) ? text : parseQuantity(text)?.toString();
}

/** Kubernetes' reason for refusing a text; undefined when it is fine. */
export function quantityProblem(text: string): string | undefined {
  const result = read(text);
  return typeof result === "string" ? result : undefined;
}

/** `value` × 10^`exponent`. */
export function quantityOf(value: number | bigint, format: QuantityFormat = "DecimalSI", exponent = 0): Quantity {
  return new Amount(BigInt(value), exponent, format);
}

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongNumber = "unable to parse numeric part of quantity";
const wrongSuffix = "unable to parse quantity's suffix";

const decimalSuffixes: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const binarySuffixes: ReadonlyMap<string, number> = new Map(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((s, i) => [s, 10 * (i + 1)]));
const decimalNames = new Map([...decimalSuffixes].map(([name, exponent]) => [exponent, name]));
const binaryNames = new Map([...binarySuffixes].map(([name, exponent]) => [exponent, name]));

const maxInt64 = 2n ** 63n - 1n;
/** No text of a client may make us compute with numbers of a million digits. */
const maxExponent = 1_000;
const maxDigits = 1_000;
const shape = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?|[-+])\d*|)$/;

/** The amount is `mantissa` × 10^`exponent`. */
class Amount implements Quantity {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  #text: string | undefined;

  constructor(mantissa: bigint, exponent: number, format: QuantityFormat, text?: string) {
    this.mantissa = mantissa;
    this.exponent = exponent;
    this.format = format;
    this.#text = text;
  }

  sign(): -1 | 0 | 1 {
    return signOf(this.mantissa);
  }

  compare(other: Quantity): -1 | 0 | 1 {
    const [a, b] = aligned(this, amountOf(other));
    return signOf(a - b);
  }

  add(other: Quantity): Quantity {
    const [a, b, exponent] = aligned(this, amountOf(other));
    return new Amount(a + b, exponent, this.mantissa === 0n ? other.format : this.format);
  }

  sub(other: Quantity): Quantity {
    return this.add(other.neg());
  }

  neg(): Quantity {
    return new Amount(-this.mantissa, this.exponent, this.format);
  }

  mul(factor: bigint): Quantity {
    return new Amount(this.mantissa * factor, this.exponent, this.format);
  }

  roundUp(exponent: number): Quantity {
    if (this.exponent >= exponent) return this;
    return new Amount(scaled(this, exponent), exponent, this.format);
  }

  toNumber(): number {
    return Number(`${this.mantissa}e${this.exponent}`);
  }

  toApproximateNumber(): number {
    return Number(this.mantissa) * Number(`1e${this.exponent}`);
  }

  toInt64(): bigint | undefined {
    if (this.exponent < 0 || this.exponent > 18 || magnitudeOf(this.mantissa) >= 10n ** 18n) return undefined;
    const value = scaled(this, 0);
    return BigInt.asIntN(64, value) === value ? value : undefined;
  }

  value(): bigint {
    return scaled(this, 0);
  }

  milli(): bigint {
    return scaled(this, -3);
  }

  toString(): string {
    this.#text ??= canonical(this);
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }
}

function read(text: string): Amount | string {
  if (text === "") return wrongFormat;
  const match = shape.exec(text);
  if (match === null) return wrongFormat;
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  // Go stops reading at a lone sign, and takes it for zero.
  if (text === sign) return new Amount(0n, 0, "DecimalSI");
  if (whole.length + fraction.length > maxDigits) return wrongNumber;
  const scale = interpretSuffix(suffix);
  if (scale === undefined) return wrongSuffix;
  const number = { text, digits: (whole.replace(/^0+/, "") || "0") + fraction, places: fraction.length, negative: sign === "-" };
  const amount = scale.base === 10 ? readShortDecimal(number, scale) : readShortBinary(number, scale);
  // Only Go's slow path minds that there is no digit at all.
  return amount ?? (whole + fraction === "" ? wrongNumber : readLong(number, scale));
}

interface Digits {
  readonly text: string;
  /** Those before the point, without leading zeros, and those after it. */
  readonly digits: string;
  readonly places: number;
  readonly negative: boolean;
}

interface Scale {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function interpretSuffix(suffix: string): Scale | undefined {
  const decimal = decimalSuffixes.get(suffix);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: "DecimalSI" };
  const binary = binarySuffixes.get(suffix);
  if (binary !== undefined) return { base: 2, exponent: binary, format: "BinarySI" };
  if (!/^[eE][-+]?\d+$/.test(suffix)) return undefined;
  const exponent = Number(suffix.slice(1));
  return Math.abs(exponent) > maxExponent ? undefined : { base: 10, exponent, format: "DecimalExponent" };
}

const mantissaOf = ({ digits, negative }: Digits): bigint => (negative ? -BigInt(digits) : BigInt(digits));

/** When its exponent is a multiple of three the text counts as canonical, though zeros may trail its point. */
function readShortDecimal(number: Digits, { exponent, format }: Scale): Amount | undefined {
  const { text, digits, places } = number;
  const scale = exponent - places;
  if (digits.length > 18 || scale < -9) return undefined;
  const keep = scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  return new Amount(mantissaOf(number), scale, format, keep ? text : undefined);
}

function readShortBinary(number: Digits, { exponent, format }: Scale): Amount | undefined {
  if (number.places > 0 || 15 - number.digits.length - Math.trunc((exponent * 3) / 10) - 1 < 0) return undefined;
  const mantissa = mantissaOf(number);
  return new Amount(mantissa << BigInt(exponent), 0, format, (magnitudeOf(mantissa) & 7n) !== 0n ? number.text : undefined);
}

/** Rounded to billionths. In binary format capped at the largest int64, and a fraction of a unit is shown in decimals. */
function readLong(number: Digits, { base, exponent, format }: Scale): Amount {
  const binary = base === 2;
  const mantissa = binary ? mantissaOf(number) << BigInt(exponent) : mantissaOf(number);
  const exact = (binary ? 0 : exponent) - number.places;
  const scale = Math.max(exact, -9);
  const rounded = scaled({ mantissa, exponent: exact }, scale);
  if (!binary) return new Amount(rounded, scale, format);
  const one = 10n ** BigInt(-scale);
  if (magnitudeOf(rounded) > maxInt64 * one) return new Amount(rounded < 0n ? -maxInt64 : maxInt64, 0, format);
  return new Amount(rounded, scale, magnitudeOf(rounded) < one && rounded !== 0n ? "DecimalSI" : format);
}

function canonical({ mantissa, exponent, format }: Amount): string {
  if (mantissa === 0n) return "0";
  if (format === "BinarySI") {
    const whole = scaled({ mantissa, exponent }, 0);
    const exact = exponent >= 0 || whole * 10n ** BigInt(-exponent) === mantissa;
    if (exact && magnitudeOf(whole) >= 1024n) return canonicalBinary(whole);
  }
  return canonicalDecimal(mantissa, exponent, format);
}

function canonicalBinary(whole: bigint): string {
  let rest = whole;
  let exponent = 0;
  while (rest % 1024n === 0n && exponent < 60) {
    rest /= 1024n;
    exponent += 10;
  }
  return `${rest}${binaryNames.get(exponent) ?? ""}`;
}

/**
 * The exponent becomes the largest multiple of three that leaves an integer. Where no suffix is that large
 * an exponent stands instead; Kubernetes drops it there, and with it the amount.
 */
function canonicalDecimal(mantissa: bigint, exponent: number, format: QuantityFormat): string {
  const digits = mantissa.toString();
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  const trimmed = exponent + digits.length - end;
  const third = Math.floor(trimmed / 3) * 3;
  const number = digits.slice(0, end) + "0".repeat(trimmed - third);
  if (third === 0) return number;
  const name = format === "DecimalExponent" ? undefined : decimalNames.get(third);
  return number + (name ?? `e${third}`);
}

/** As a count of 10^`exponent`, rounded away from zero. */
function scaled(amount: { readonly mantissa: bigint; readonly exponent: number }, exponent: number): bigint {
  const shift = amount.exponent - exponent;
  if (shift >= 0) return amount.mantissa * 10n ** BigInt(shift);
  const digits = amount.mantissa.toString().length;
  if (-shift > digits) return BigInt(signOf(amount.mantissa));
  const divisor = 10n ** BigInt(-shift);
  const quotient = amount.mantissa / divisor;
  return quotient * divisor === amount.mantissa ? quotient : quotient + BigInt(signOf(amount.mantissa));
}

function aligned(a: Amount, b: Amount): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [scaled(a, exponent), scaled(b, exponent), exponent];
}

function amountOf(quantity: Quantity): Amount {
  if (quantity instanceof Amount) return quantity;
  throw new TypeError("a Quantity comes from parseQuantity or quantityOf");
}

const magnitudeOf = (n: bigint): bigint => (n < 0n ? -n : n);

const signOf = (n: bigint): -1 | 0 | 1 => (n > 0n ? 1 : n < 0n ? -1 : 0);
