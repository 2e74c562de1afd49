/** Whether a value is valid: the answer for nearly every object, with as little work as there can be. */
import type { Rule } from "./rule.ts";
import type { Alternatives, ValueSchema } from "./value-schema.ts";
import { findTypeMismatch } from "./value-type.ts";
import { type Work, workOfAlternative } from "./work.ts";

/** @throws TooMuchWork */
export function accepts(schema: ValueSchema, value: unknown, work: Work): boolean {
  if (value === undefined) return true;
  if (!hasType(schema, value)) return false;
  if (schema.enum !== undefined && !schema.enum.holds(value, work)) return false;
  if (value === null) return true;
  return hasContent(schema, value, work) && (schema.alternatives === undefined || acceptsAlternatives(schema.alternatives, value, work));
}

function hasContent(schema: ValueSchema, value: unknown, work: Work): boolean {
  switch (typeof value) {
    case "string":
      return allHold(schema.text, value, work) && (schema.textFormat === undefined || schema.textFormat.holds(value, work));
    case "number":
    case "bigint":
      return allHold(schema.numbers, value, work);
    case "object":
      return Array.isArray(value) ? acceptsList(schema, value, work) : value === null || acceptsObject(schema, value, work);
    default:
      return true;
  }
}

/** The common cases first. */
function hasType(schema: ValueSchema, value: unknown): boolean {
  const { types } = schema;
  if (schema.format === "" || types[0] === "integer") {
    if (types.length === 0) return true;
    switch (typeof value) {
      case "string":
        if (types[0] === "string" || types[1] === "string") return true;
        break;
      case "number":
        if (types[0] === "integer" && Number.isSafeInteger(value)) return true;
        break;
      case "boolean":
        if (types[0] === "boolean") return true;
        break;
      case "object":
        if (value !== null && types[0] === (Array.isArray(value) ? "array" : "object")) return true;
    }
  }
  return findTypeMismatch(schema, value) === undefined;
}

function allHold<T>(rules: readonly Rule<T>[], value: T, work: Work): boolean {
  for (let i = 0; i < rules.length; i++) if (rules[i]?.holds(value, work) === false) return false;
  return true;
}

function acceptsList(schema: ValueSchema, list: readonly unknown[], work: Work): boolean {
  const { items } = schema;
  if (!allHold(schema.lists, list, work)) return false;
  if (items !== undefined) for (const item of list) if (!accepts(items, item, work)) return false;
  return true;
}

function acceptsObject(schema: ValueSchema, object: object, work: Work): boolean {
  const { properties, additional } = schema;
  if (!allHold(schema.objects, object, work)) return false;
  for (const name of schema.required) if (!Object.hasOwn(object, name)) return false;
  if (properties.size === 0 && additional === undefined) return true;
  const fields = object as Readonly<Record<string, unknown>>;
  for (const key in fields) {
    const child = properties.get(key) ?? additional;
    if (child === undefined) continue;
    const value = fields[key];
    if (child === "forbidden" || (child.any !== typeof value && !accepts(child, value, work))) return false;
  }
  return true;
}

function acceptsAlternatives({ allOf, anyOf, oneOf, not }: Alternatives, value: unknown, work: Work): boolean {
  work.spend((allOf.length + anyOf.length + oneOf.length) * workOfAlternative.accepts);
  for (const schema of allOf) if (!accepts(schema, value, work)) return false;
  if (anyOf.length > 0 && !anyOf.some((schema) => accepts(schema, value, work))) return false;
  if (oneOf.length > 0 && oneOf.filter((schema) => accepts(schema, value, work)).length !== 1) return false;
  return not === undefined || !accepts(not, value, work);
}
