/**
 * `'%s has %d'.format([name, count])`. Numbers with `%f` and `%e` are printed for readers of English,
 * `1,234.500000` and `1.234500×10⁰³`, as Kubernetes does.
 * @see https://github.com/google/cel-go/tree/master/ext#format
 */
import { goQuote } from "@coxswain/machinery";
import type { CelType } from "../types/type.ts";
import { runtimeTypeName } from "../types/type-text.ts";
import { CelDuration, CelError, CelList, CelMap, CelTimestamp, CelTypeValue, CelUint, type CelValue } from "../values/value.ts";
import { typeOfValue } from "../values/value-type.ts";
import { fixedDigits, scientificDigits } from "./format-number.ts";
import { textOf } from "./text.ts";

/** `%%`, or a percent sign up to the letter that says how; what is no clause is for `parseClause` to say. */
export const clauses = /%%|%[\s\S]*?(?:[^.0-9]|$)/gu;

/** @throws CelError */
export function formatString(format: string, args: CelList): string {
  let used = 0;
  return format.replace(clauses, (clause) => {
    if (clause === "%%") return "%";
    if (used >= args.size) throw new CelError(`index ${used} out of range`);
    return formatClause(parseClause(clause), args.at(used++));
  });
}

interface Clause {
  readonly verb: Verb;
  readonly precision: number;
}

/** Precisions are 6 when not given. @throws CelError */
export function parseClause(clause: string): Clause {
  if (clause === "%") throw new CelError("unexpected end of string");
  const [, digits, verb = ""] = /^%(?:\.(\d*)(?!\d))?([\s\S]*)$/u.exec(clause) ?? [];
  if (digits !== undefined && verb === "") throw unparsable("error while parsing precision: could not find end of precision specifier");
  if (digits !== undefined) checkPrecision(digits);
  if (!isVerb(verb)) throw unparsable(`unrecognized formatting clause "${firstByte(verb)}"`);
  return { verb, precision: digits === undefined ? 6 : Number(digits) };
}

function checkPrecision(digits: string): void {
  const problem = digits === "" ? "invalid syntax" : Number(digits) > Number.MAX_SAFE_INTEGER ? "value out of range" : undefined;
  if (problem === undefined) return;
  throw unparsable(
    `error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing ${goQuote(digits)}: ${problem}`,
  );
}

const unparsable = (problem: string): CelError => new CelError(`could not parse formatting clause: ${problem}`);

/** Kubernetes looks at bytes, and shows the one that it does not know. */
const firstByte = (text: string): string =>
  String.fromCharCode(new TextEncoder().encode(text[0] === undefined ? "" : String.fromCodePoint(text.codePointAt(0) ?? 0))[0] ?? 0);

function formatClause({ verb, precision }: Clause, value: CelValue): string {
  switch (verb) {
    case "s":
      return formatText(value);
    case "d":
      return formatDecimal(value);
    case "f":
      return formatFixed(value, precision);
    case "e":
      return formatScientific(value, precision);
    case "b":
      return typeof value === "boolean" ? (value ? "1" : "0") : inBase(value, 2, "b");
    case "o":
      return inBase(value, 8, "o");
    default:
      return verb === "X" ? formatHex(value).toUpperCase() : formatHex(value);
  }
}

const wrongType = (verb: Verb, value: CelValue): CelError => new CelError(typeProblem(verb, typeOfValue(value)));

export const typeProblem = (verb: Verb, type: CelType): string =>
  `error during formatting: ${rules[verb]}, was given ${runtimeTypeName(type)}`;

const hexRule = "only integers, byte buffers, and strings can be formatted as hex";
const rules = {
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  d: "decimal clause can only be used on integers",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
  b: "only integers and bools can be formatted as binary",
  o: "octal clause can only be used on integers",
  x: hexRule,
  X: hexRule,
} as const;

export type Verb = keyof typeof rules;

const isVerb = (text: string): text is Verb => Object.hasOwn(rules, text);

function formatText(value: CelValue): string {
  if (value instanceof CelList) return formatList(value);
  if (value instanceof CelMap) return formatMap(value);
  if (value === null) return "null";
  const text = isPrintable(value) ? textOf(value) : undefined;
  if (text !== undefined) return text;
  throw wrongType("s", value);
}

const isPrintable = (value: CelValue): boolean =>
  ["boolean", "bigint", "number", "string"].includes(typeof value) ||
  [Uint8Array, CelUint, CelTimestamp, CelDuration, CelTypeValue].some((type) => value instanceof type);

function formatDecimal(value: CelValue): string {
  if (typeof value === "bigint") return String(value);
  if (value instanceof CelUint) return String(value.value);
  throw wrongType("d", value);
}

const infinities: Readonly<Record<string, number>> = {
  __proto__: null as never,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

function doubleOf(value: CelValue): number | undefined {
  return typeof value === "number" ? value : typeof value === "string" && Object.hasOwn(infinities, value) ? infinities[value] : undefined;
}

function formatFixed(value: CelValue, precision: number): string {
  const double = doubleOf(value);
  if (double === undefined) throw wrongType("f", value);
  if (!Number.isFinite(double)) return special(double);
  // The printer that Kubernetes uses keeps the least number of digits in a byte.
  const [whole = "", fraction] = fixedDigits(double, precision, precision % 256).split(".");
  const grouped = inThousands(whole);
  return `${double < 0 ? "-" : ""}${grouped}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** `1234567` is `1,234,567`. */
function inThousands(whole: string): string {
  const first = whole.length % 3 || 3;
  const groups = [whole.slice(0, first)];
  for (let at = first; at < whole.length; at += 3) groups.push(whole.slice(at, at + 3));
  return groups.join(",");
}

/** More makes no sense, but takes space. */
const widest = 1_000_000;

/** Kubernetes takes the precision for the width, and always prints six digits. */
function formatScientific(value: CelValue, precision: number): string {
  const width = Math.min(precision, widest);
  const double = doubleOf(value);
  if (double === undefined) throw wrongType("e", value);
  if (!Number.isFinite(double)) return special(double).padStart(width);
  const { mantissa, exponent } = scientificDigits(double);
  const power = `${exponent < 0 ? "⁻" : ""}${String(Math.abs(exponent))
    .padStart(2, "0")
    .replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)] ?? "")}`;
  return `${double < 0 ? "-" : ""}${mantissa}×10${power}`.padStart(width);
}

const special = (double: number): string => (Number.isNaN(double) ? "NaN" : double < 0 ? "-∞" : "∞");

function inBase(value: CelValue, base: number, verb: Verb): string {
  if (typeof value === "bigint") return value.toString(base);
  if (value instanceof CelUint) return value.value.toString(base);
  throw wrongType(verb, value);
}

function formatHex(value: CelValue): string {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array) return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return inBase(value, 16, "x");
}

const formatList = (list: CelList): string => `[${Array.from(list, formatNested).join(", ")}]`;

function formatMap(map: CelMap): string {
  const entries = Array.from(map.keys(), (key) => [formatKey(key), formatNested(map.get(key) ?? null)] as const);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

function formatKey(key: CelValue): string {
  if (typeof key === "number") throw new CelError("error during formatting: no formatting function for map key of type double");
  return formatNested(key);
}

/** As it would be written in an expression. */
function formatNested(value: CelValue): string {
  if (typeof value === "string") return goQuote(value);
  if (value instanceof Uint8Array) return `b${goQuote(textOf(value) ?? "")}`;
  if (value instanceof CelTimestamp) return `timestamp(${goQuote(formatText(value))})`;
  if (value instanceof CelDuration) return `duration(${goQuote(formatText(value))})`;
  if (typeof value === "number") return formatNestedDouble(value);
  if (value !== null && !isPrintable(value) && !(value instanceof CelList) && !(value instanceof CelMap)) {
    throw new CelError(`error during formatting: no formatting function for ${runtimeTypeName(typeOfValue(value))}`);
  }
  return formatText(value);
}

function formatNestedDouble(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (!Number.isFinite(value)) return value < 0 ? '"-Inf"' : '"+Inf"';
  return `${value < 0 || Object.is(value, -0) ? "-" : ""}${fixedDigits(value, 6)}`;
}
