/** Defaults have to be values that the schema itself accepts, without unknown fields. */
import { type FieldError, invalid } from "../../field-error.ts";
import type { JsonSchema } from "../schema.ts";
import { additionalOf, hasDefault, isSchema, itemsOf, propertiesOf, propertyOf, someSchema } from "./parts.ts";

export interface DefaultCheck {
  readonly requirePruned: boolean;
}

/** For structural schemas. Defaults inside of conditions and of additionalProperties are refused elsewhere. */
export function defaultErrors(schema: JsonSchema, path: string, check: DefaultCheck): FieldError[] {
  const out: FieldError[] = [];
  visit(out, schema, path, check);
  return out;
}

function visit(out: FieldError[], schema: JsonSchema, path: string, check: DefaultCheck): void {
  if (hasDefault(schema) && check.requirePruned && !isPruned(schema.default, schema)) {
    out.push(invalid(`${path}.default`, schema.default, "must not have unknown fields"));
  }
  const items = itemsOf(schema);
  if (items !== undefined) visit(out, items, `${path}.items`, check);
  for (const [name, each] of propertiesOf(schema)) visit(out, each, `${path}.properties[${name}]`, check);
}

export const hasUnprunedDefaults = (schema: JsonSchema): boolean =>
  someSchema(schema, (each) => hasDefault(each) && !isPruned(each.default, each));

/** Whether pruning would leave the value as it is. */
function isPruned(value: unknown, schema: JsonSchema | undefined, preserve = preserves(schema)): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) {
    const items = schema && itemsOf(schema);
    // What is preserved is so in the items too, where nothing is said about them.
    if (preserve && items === undefined) return true;
    return value.every((item) => isPruned(item, items, preserve || preserves(items)));
  }
  return Object.entries(value).every(([key, member]) => {
    if (schema?.["x-kubernetes-embedded-resource"] && metaFields.includes(key)) return true;
    const property = schema && (propertyOf(schema, key) ?? additionalOf(schema));
    if (property !== undefined) return isPruned(member, property);
    const mapOfAny = schema?.additionalProperties !== undefined && !isSchema(schema.additionalProperties);
    return mapOfAny ? isPruned(member, undefined) : preserve;
  });
}

const metaFields = ["metadata", "kind", "apiVersion"];
const preserves = (schema: JsonSchema | undefined): boolean => schema?.["x-kubernetes-preserve-unknown-fields"] === true;
