/** One term of a label selector: its rules, its text and what it matches. */
import { type FieldError, formatFieldError, invalid } from "../errors/field-error.ts";
import { badRequest } from "../errors/status.ts";
import { validateLabelValue, validateQualifiedName } from "../validation/names.ts";

/** An object's labels, by key. */
export type Labels = Readonly<Record<string, string>>;

/** `gt` and `lt` compare integers; `=` and `==` differ only in how they print. */
export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

/** Those that stand between a key and its value, in the order in which Kubernetes lists them. */
export const binaryOperators: readonly LabelOperator[] = ["in", "notin", "=", "==", "!=", "gt", "lt"];

/** One condition of a label selector: a key, an operator and its values. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/**
 * Makes a requirement whose key and values have been checked.
 * @throws badRequest() with all that is wrong with the key, the number of values and each value
 */
export function newRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const errors = [...requirementErrors(key, operator, values)].map(formatFieldError);
  if (errors.length > 0) throw badRequest(errors.length === 1 ? `${errors[0]}` : `[${[...new Set(errors)].join(", ")}]`);
  return { key, operator, values };
}

/** Nothing when the key is fine. `field` is what the message names. */
export function* labelKeyErrors(field: string, key: string): Iterable<FieldError> {
  const messages = validateQualifiedName(key);
  if (messages.length > 0) yield invalid(field, key, messages.join("; "));
}

function* requirementErrors(key: string, operator: LabelOperator, values: readonly string[]): Iterable<FieldError> {
  yield* labelKeyErrors("key", key);
  const shown = values.length === 0 ? null : values;
  switch (operator) {
    case "in":
    case "notin":
      if (values.length === 0) yield invalid("values", shown, "for 'in', 'notin' operators, values set can't be empty");
      break;
    case "=":
    case "==":
    case "!=":
      if (values.length !== 1) yield invalid("values", shown, "exact-match compatibility requires one single value");
      break;
    case "exists":
    case "!":
      if (values.length !== 0) yield invalid("values", shown, "values set must be empty for exists and does not exist");
      break;
    case "gt":
    case "lt":
      if (values.length !== 1) yield invalid("values", shown, "for 'Gt', 'Lt' operators, exactly one value is required");
      for (const [i, value] of values.entries())
        if (parseInt64(value) === undefined) yield invalid(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer");
  }
  for (const [i, value] of values.entries()) {
    const messages = validateLabelValue(value);
    if (messages.length > 0) yield invalid(`values[${i}][${key}]`, value, messages.join("; "));
  }
}

/** A key that is absent satisfies `!=`, `notin` and `!`, and nothing else. */
export function matchesRequirement({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  // Not hasOwn: what prototypes carry is never a string, and this is the inner loop of every selector.
  const value: unknown = labels[key];
  const exists = typeof value === "string";
  switch (operator) {
    case "=":
    case "==":
      return exists && value === values[0];
    case "!=":
      return value !== values[0];
    case "in":
      return exists && values.includes(value);
    case "notin":
      return !exists || !values.includes(value);
    case "exists":
      return exists;
    case "!":
      return !exists;
    case "gt":
    case "lt":
      return exists && compares(operator, parseInt64(value), parseInt64(values[0] ?? ""));
  }
}

const compares = (operator: "gt" | "lt", value: bigint | undefined, bound: bigint | undefined): boolean =>
  value !== undefined && bound !== undefined && (operator === "gt" ? value > bound : value < bound);

/** As `parseLabelSelector` reads it again; several values are sorted. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.toSorted().join(",")})`;
    case "gt":
      return `${key}>${values[0]}`;
    case "lt":
      return `${key}<${values[0]}`;
    default:
      return `${key}${operator}${values[0]}`;
  }
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const digits = BigInt(text.replace(/^[+-]/, ""));
  const value = text.startsWith("-") ? -digits : digits;
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
