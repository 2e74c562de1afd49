/** The rules for numbers. Integers compare as Go's int64, which cuts the fraction off what they are compared with. */
import { goDouble } from "@coxswain/machinery";
import type { JsonSchema } from "../structural/schema.ts";
import { invalidValue, showNumber } from "./problem.ts";
import { bodyError, fieldOfName, plainError, type Rule } from "./rule.ts";
import { isNearlyInteger, kindOf } from "./value-type.ts";

type Num = number | bigint;

/** Of a schema with one type: what numbers must fit into. */
interface Capacity {
  readonly type: string;
  readonly format: string;
}

export function numberRules(schema: JsonSchema, types: readonly string[], format: string): readonly Rule<Num>[] {
  const type = types.length === 1 ? (types[0] ?? "") : "";
  const capacity = { type, format: type === "integer" || type === "number" ? format : "" };
  const rules: Rule<Num>[] = [];
  if (type === "integer" || capacity.format === "float") rules.push(inRange(capacity));
  const { multipleOf, minimum, maximum } = schema;
  if (multipleOf !== undefined) rules.push(...bounded("MultipleOf", Number(multipleOf), capacity, multipleRule));
  if (minimum !== undefined)
    rules.push(...bounded("Minimum boundary", Number(minimum), capacity, limitRule("minimum", schema.exclusiveMinimum === true)));
  if (maximum !== undefined)
    rules.push(...bounded("Maximum boundary", Number(maximum), capacity, limitRule("maximum", schema.exclusiveMaximum === true)));
  return rules;
}

const inRange = (capacity: Capacity): Rule<Num> => ({
  holds: (value) => fits(value, capacity),
  error: (_value, name) => rangeError("Checked", capacity, name),
});

/** A limit that does not fit itself is an error with every value; the value is then compared as a double. */
function bounded(
  what: string,
  limit: number,
  capacity: Capacity,
  make: (limit: number, native: boolean) => readonly Rule<Num>[],
): readonly Rule<Num>[] {
  if (fits(limit, capacity)) return make(limit, true);
  return [{ holds: () => false, error: (_value, name) => rangeError(what, capacity, name) }, ...make(limit, false)];
}

const maxInt32 = 0x7fffffff;
const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

function fits(value: Num, { type, format }: Capacity): boolean {
  if (type !== "integer") return format !== "float" || Number.isFinite(Math.fround(Number(value)));
  if (format === "int32") return Number.isInteger(Number(value)) && value >= -maxInt32 - 1 && value <= maxInt32;
  // Comparisons of numbers with bigints are slow.
  if (typeof value === "number") return Number.isSafeInteger(value) || (Number.isInteger(value) && Math.abs(value) < 2 ** 63);
  return value >= minInt64 && value <= maxInt64;
}

const rangeError = (what: string, { type, format }: Capacity, name: string) =>
  plainError(`${what} value must be of type ${type} ${format === "" ? "(default format)" : `with format ${format}`} in ${name}`);

function limitRule(side: "minimum" | "maximum", exclusive: boolean): (limit: number, native: boolean) => readonly Rule<Num>[] {
  const words = side === "minimum" ? "greater than" : "less than";
  return (limit, native) => {
    const whole = native ? Math.trunc(limit) : limit;
    const limitFor = (value: Num): number => (kindOf(value) === "integer" ? whole : limit);
    return [
      {
        holds: (value) => {
          const bound = limitFor(value);
          if (exclusive) return side === "minimum" ? value > bound : value < bound;
          return side === "minimum" ? value >= bound : value <= bound;
        },
        error: (value, name) =>
          bodyError(
            name,
            value,
            `should be ${words}${exclusive ? "" : " or equal to"} ${showLimit(limitFor(value), native && kindOf(value) === "integer")}`,
          ),
      },
    ];
  };
}

/** Integers are written out. */
const showLimit = (limit: number, whole: boolean): string => (whole && Number.isFinite(limit) ? String(BigInt(limit)) : goDouble(limit));

function multipleRule(factor: number, native: boolean): readonly Rule<Num>[] {
  const whole = Math.trunc(factor);
  const factorFor = (value: Num): number => (native && kindOf(value) === "integer" ? whole : factor);
  return [
    {
      holds: (value) => factorFor(value) > 0,
      error: (value, name) => {
        const shown = factorFor(value);
        return invalidValue(fieldOfName(name), shown, `factor MultipleOf declared for ${name} must be positive: ${showNumber(shown)}`);
      },
    },
    {
      holds: (value) => factorFor(value) <= 0 || isMultiple(value, factorFor(value)),
      error: (value, name) => bodyError(name, value, `should be a multiple of ${showNumber(factorFor(value))}`),
    },
  ];
}

function isMultiple(value: Num, factor: number): boolean {
  if (typeof value === "bigint") return Number.isInteger(factor) ? value % BigInt(factor) === 0n : isMultiple(Number(value), factor);
  if (Number.isInteger(factor) && Number.isSafeInteger(value)) return value % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return isNearlyInteger(quotient);
}
