/**
 * What a YAML 1.1 scalar means to Kubernetes: `n` is false, `010` is eight, a date is text.
 * @see https://yaml.org/type/
 */
import { DecodeError } from "../values/decode-error.ts";

/** JSON's scalars, and floats that JSON lacks. */
export type YamlScalar = string | number | bigint | boolean | null;

const words: ReadonlyMap<string, YamlScalar> = new Map<string, YamlScalar>([
  ...spellings(["y", "yes", "true", "on"], true),
  ...spellings(["n", "no", "false", "off"], false),
  ...spellings(["null"], null),
  ["", null],
  ["~", null],
  ...[".nan", ".NaN", ".NAN"].map((w) => [w, Number.NaN] as const),
  ...["", "+"].flatMap((sign) => [".inf", ".Inf", ".INF"].map((w) => [sign + w, Number.POSITIVE_INFINITY] as const)),
  ...[".inf", ".Inf", ".INF"].map((w) => [`-${w}`, Number.NEGATIVE_INFINITY] as const),
]);

const tagPrefix = "tag:yaml.org,2002:";

/** @param tag as written; empty for none @param plain neither quoted nor a block @throws DecodeError */
export function resolveScalar(text: string, tag: string, plain: boolean): YamlScalar {
  const short = tag.startsWith(`!<${tagPrefix}`) ? `!!${tag.slice(tagPrefix.length + 2, -1)}` : tag;
  switch (short) {
    case "":
      return plain ? resolvePlain(text) : text;
    case "!!binary":
      return decodeBinary(text);
    case "!!bool":
    case "!!int":
    case "!!null":
    case "!!float":
      return checked(resolvePlain(text), short, text);
    default:
      return text;
  }
}

function resolvePlain(text: string): YamlScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  return /^[-+.\d]/.test(text) ? (resolveNumber(text) ?? text) : text;
}

function resolveNumber(text: string): YamlScalar | undefined {
  if (text.startsWith(".")) return /^\.\d+([eE][-+]?\d+)?$/.test(text) ? finite(text) : undefined;
  const digits = text.replaceAll("_", "");
  const integer = parseInteger(digits);
  if (integer !== undefined) return integer;
  return /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/.test(digits) ? finite(digits) : undefined;
}

/** What overflows a double stays text. */
function finite(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/**
 * Signed or unsigned, up to 64 bits; a leading zero means octal. What is beyond an int64 becomes a double, as it would when its JSON
 * is read: an object must not change when it comes back from the store.
 */
function parseInteger(text: string): number | bigint | undefined {
  const match = /^([-+]?)(0x[\da-f]+|0b[01]+|0o[0-7]+|0[0-7]*|[1-9]\d*)$/i.exec(text);
  if (match === null) return undefined;
  const [, sign, digits = ""] = match;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits}` : digits.toLowerCase());
  const value = sign === "-" ? -magnitude : magnitude;
  if (value < -(2n ** 63n) || value >= (sign === "" ? 2n ** 64n : 2n ** 63n)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) || value >= 2n ** 63n ? number : value;
}

function decodeBinary(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
  } catch {
    throw new DecodeError("yaml: !!binary value contains invalid base64 data");
  }
}

function checked(value: YamlScalar, tag: string, text: string): YamlScalar {
  const actual = tagOf(value);
  if (actual === tag) return value;
  if (tag === "!!float" && actual === "!!int") return Number(value);
  throw new DecodeError(`yaml: cannot decode ${actual} \`${text}\` as a ${tag}`);
}

function tagOf(value: YamlScalar): string {
  if (value === null) return "!!null";
  if (typeof value === "boolean") return "!!bool";
  if (typeof value === "string") return "!!str";
  return typeof value === "bigint" || Number.isInteger(value) ? "!!int" : "!!float";
}

function spellings(all: readonly string[], value: YamlScalar): [string, YamlScalar][] {
  return all.flatMap((w) => [w, w.charAt(0).toUpperCase() + w.slice(1), w.toUpperCase()].map((s): [string, YamlScalar] => [s, value]));
}
