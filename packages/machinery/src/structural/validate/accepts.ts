/** Whether a value is valid: the answer for nearly every object, with as little work as there can be. */
import type { Rule } from "./rule.ts";
import type { ValueSchema } from "./value-schema.ts";
import { findTypeMismatch } from "./value-type.ts";

export function accepts(schema: ValueSchema, value: unknown): boolean {
  if (value === undefined) return true;
  if (!hasType(schema, value)) return false;
  if (schema.enum !== undefined && !schema.enum.holds(value)) return false;
  if (value === null) return true;
  switch (typeof value) {
    case "string":
      return allHold(schema.text, value) && (schema.textFormat?.holds(value) ?? true) && acceptsAlternatives(schema, value);
    case "number":
    case "bigint":
      return allHold(schema.numbers, value) && acceptsAlternatives(schema, value);
    case "object":
      return (Array.isArray(value) ? acceptsList(schema, value) : acceptsObject(schema, value)) && acceptsAlternatives(schema, value);
    default:
      return acceptsAlternatives(schema, value);
  }
}

/** The common cases first: one type, no format. */
function hasType(schema: ValueSchema, value: unknown): boolean {
  if (schema.format === "" && schema.types.length < 2) {
    switch (schema.types[0]) {
      case undefined:
        return true;
      case "string":
        if (typeof value === "string") return true;
        break;
      case "object":
        if (typeof value === "object" && value !== null && !Array.isArray(value)) return true;
        break;
      case "array":
        if (Array.isArray(value)) return true;
        break;
      case "boolean":
        if (typeof value === "boolean") return true;
    }
  }
  return findTypeMismatch(schema, value) === undefined;
}

function allHold<T>(rules: readonly Rule<T>[], value: T): boolean {
  for (const rule of rules) if (!rule.holds(value)) return false;
  return true;
}

function acceptsList(schema: ValueSchema, list: readonly unknown[]): boolean {
  const { items } = schema;
  if (!allHold(schema.lists, list)) return false;
  if (items !== undefined) for (const item of list) if (!accepts(items, item)) return false;
  return true;
}

function acceptsObject(schema: ValueSchema, object: object): boolean {
  const { properties, additional } = schema;
  if (!allHold(schema.objects, object)) return false;
  for (const name of schema.required) if (!Object.hasOwn(object, name)) return false;
  if (properties.size === 0 && additional === undefined) return true;
  const fields = object as Readonly<Record<string, unknown>>;
  for (const key in fields) {
    const child = properties.get(key) ?? additional;
    if (child === "forbidden" || (child !== undefined && !accepts(child, fields[key]))) return false;
  }
  return true;
}

function acceptsAlternatives({ allOf, anyOf, oneOf, not }: ValueSchema, value: unknown): boolean {
  for (const schema of allOf) if (!accepts(schema, value)) return false;
  if (anyOf.length > 0 && !anyOf.some((schema) => accepts(schema, value))) return false;
  if (oneOf.length > 0 && oneOf.filter((schema) => accepts(schema, value)).length !== 1) return false;
  return not === undefined || !accepts(not, value);
}
