/**
 * Numbers that are more than their value: to Go `1.0` and `1e3` are no integers, what 64 bits do not hold is shown as it
 * was written, and a quantity keeps its exponent. While a document is read they are literals; its type settles what each is.
 */
import { DecodeError } from "../values/decode-error.ts";
import type { Type } from "./type.ts";

export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Puts in place, or returns, what decoding by the type takes for each literal: only where an integer is wanted, or no
 * double holds it, literals stay, for decoding to refuse.
 * @throws DecodeError for what has no type and is no double
 */
export function settleNumbers(type: Type | undefined, value: unknown): unknown {
  if (value instanceof NumberLiteral) return settled(type, value);
  if (Array.isArray(value)) {
    const item = type?.kind === "list" ? type.item : heldBy(type);
    for (let i = 0; i < value.length; i++) value[i] = settleNumbers(item, value[i]);
  } else if (typeof value === "object" && value !== null) {
    const object = value as Record<string, unknown>;
    for (const key in object) {
      if (isUndeclared(type, key)) continue;
      const before = object[key];
      const after = settleNumbers(memberOf(type, key), before);
      if (after !== before) object[key] = after;
    }
  }
  return value;
}

function memberOf(type: Type | undefined, key: string): Type | undefined {
  if (type?.kind === "map") return type.value;
  const struct = heldBy(type) ?? type;
  return struct?.kind === "struct" ? (struct.fields.get(key)?.type ?? struct.rest) : undefined;
}

/** Decoding drops what a struct does not declare, whatever it is. */
function isUndeclared(type: Type | undefined, key: string): boolean {
  const struct = heldBy(type) ?? type;
  return struct?.kind === "struct" && struct.rest === undefined && !struct.fields.has(key);
}

const heldBy = (type: Type | undefined): Type | undefined => (type?.kind === "scalar" ? type.holds : undefined);

function settled(type: Type | undefined, literal: NumberLiteral): unknown {
  const { text } = literal;
  switch (type?.kind === "scalar" ? type.scalar : undefined) {
    case "int32":
    case "int64":
    case "intOrString":
      return literal;
    case "quantity":
      return text;
    case "double":
      return Number.isFinite(Number(text)) ? Number(text) : literal;
    default:
      return toDouble(text);
  }
}

/** @throws DecodeError beyond what a double holds */
export function toDouble(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw new DecodeError(`json: cannot unmarshal number ${text} into Go value of type float64`);
}
