/** What may stand in allOf, anyOf, oneOf and not: conditions on values, nothing that says what a value is. */
import { type FieldError, field } from "@coxswain/machinery";
import type { JsonSchema } from "../structural/schema.ts";
import { maxErrors } from "./limits.ts";
import { hasDefault, isSchema, itemsOf, propertiesOf, propertyOf, saysNothing, saysOnly } from "./parts.ts";

export interface Walk {
  readonly out: FieldError[];
  readonly patternProblem: (pattern: string) => string | undefined;
}

/**
 * Errors in the conditions of a schema that is itself well placed. Two forms of "integer or string" are allowed to name
 * types: anyOf with exactly those two, alone or as the first of allOf.
 */
export function valueErrors(walk: Walk, schema: JsonSchema, path: string): void {
  const { anyOf, allOf } = schema;
  conditions(walk, schema, path, { anyOf: isIntOrString(anyOf), inFirstAllOf: isIntOrString(allOf?.[0]?.anyOf) });
}

interface Allowed {
  readonly anyOf: boolean;
  readonly inFirstAllOf: boolean;
}

const nothing: Allowed = { anyOf: false, inFirstAllOf: false };

function conditions(walk: Walk, schema: JsonSchema, path: string, allowed: Allowed): void {
  if (!allowed.anyOf) nestedAll(walk, schema.anyOf, `${path}.anyOf`);
  for (const [i, each] of (schema.allOf ?? []).entries()) {
    nested(walk, each, `${path}.allOf[${i}]`, { anyOf: allowed.inFirstAllOf && i === 0, inFirstAllOf: false });
  }
  nestedAll(walk, schema.oneOf, `${path}.oneOf`);
  if (schema.not !== undefined) nested(walk, schema.not, `${path}.not`, nothing);
  const problem = schema.pattern ? walk.patternProblem(schema.pattern) : undefined;
  if (problem !== undefined) {
    walk.out.push(field.invalid(`${path}.pattern`, schema.pattern, `must be a valid regular expression, but isn't: ${problem}`));
  }
}

function nestedAll(walk: Walk, schemas: readonly JsonSchema[] | undefined, path: string): void {
  for (const [i, each] of (schemas ?? []).entries()) nested(walk, each, `${path}[${i}]`, nothing);
}

/** What a nested schema may not say, and how the refusal is worded. */
const forbiddenFields = [
  ["type", "must be empty to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
] as const;

function nested(walk: Walk, schema: JsonSchema, path: string, allowed: Allowed): void {
  const { out } = walk;
  if (out.length >= maxErrors) return;
  conditions(walk, schema, path, allowed);
  const items = itemsOf(schema);
  if (items !== undefined) nested(walk, items, `${path}.items`, nothing);
  for (const [name, each] of propertiesOf(schema)) nested(walk, each, `${path}.properties[${name}]`, nothing);
  if (schema.additionalProperties === true || isSchema(schema.additionalProperties)) {
    out.push(field.forbidden(`${path}.additionalProperties`, "must be undefined to be structural"));
  }
  if (hasDefault(schema)) out.push(field.forbidden(`${path}.default`, "must be undefined to be structural"));
  for (const [name, why] of forbiddenFields) if (!saysNothing(schema[name])) out.push(field.forbidden(`${path}.${name}`, why));
  if (propertyOf(schema, "metadata") !== undefined) {
    out.push(field.forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
}

function isIntOrString(anyOf: readonly JsonSchema[] | undefined): boolean {
  const types = ["integer", "string"];
  return anyOf?.length === 2 && anyOf.every((each, i) => each.type === types[i] && saysOnly(each, "type"));
}
