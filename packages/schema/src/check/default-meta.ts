/** Defaults in resources within resources: apiVersion, kind and metadata follow the rules of all objects. */
import { cloneJson, DecodeError, type FieldError, field, isObject, setOwn } from "@coxswain/machinery";
import { checkEmbedded, coerceEmbedded, type EmbeddedCheck } from "../read/embedded.ts";
import { Reading } from "../read/reading.ts";
import { entryOf, type Path, propertyOf } from "../structural/field-path.ts";
import { compileNode, type SchemaNode } from "../structural/node.ts";
import type { JsonSchema } from "../structural/schema.ts";
import { inOrder } from "./go-form.ts";

/** What ObjectMeta is, and what it may say. */
export type MetaRules = Omit<EmbeddedCheck, "errors">;

/** The resource around a default that is a part of its apiVersion, kind or metadata: `wrap` builds it around a value. */
export interface AroundMeta {
  readonly resource: () => SchemaNode;
  readonly wrap: (value: unknown) => object;
}

/** Around nothing yet; `schema` is compiled once, when there is a default. */
export function resourceOf(schema: JsonSchema): AroundMeta {
  let node: SchemaNode | undefined;
  const resource = (): SchemaNode => {
    node ??= compileNode(schema);
    return node;
  };
  return { resource, wrap: (value) => (isObject(value) ? value : {}) };
}

/** A default as Kubernetes goes on with it, and shows it: what is no field of metadata is gone from the resources inside. */
export interface Coerced {
  readonly value: unknown;
  readonly errors: readonly FieldError[];
}

export function coerceDefault(value: unknown, path: string, node: SchemaNode, rules: MetaRules): Coerced {
  if (!node.hasEmbedded) return { value, errors: [] };
  const copy = cloneJson(value);
  return { value: copy, errors: resourceErrors(copy, propertyOf(undefined, path), node, rules) };
}

/** What is wrong with the resource that the default is a part of. */
export function aroundErrors(value: unknown, path: string, { resource, wrap }: AroundMeta, rules: MetaRules): FieldError[] {
  const object = { apiVersion: "validation/v1", kind: "Validation", ...wrap(cloneJson(value)) };
  const errors = resourceErrors(object, undefined, resource(), rules);
  return errors.length === 0
    ? []
    : [field.invalid(path, inOrder(value), `must result in valid metadata: ${field.formatFieldErrors(errors)}`)];
}

/** A wrong type is reported alone, other errors together. Changes the value. */
function resourceErrors(value: unknown, path: Path | undefined, node: SchemaNode, rules: MetaRules): FieldError[] {
  const errors: FieldError[] = [];
  try {
    coerce(value, path, node, new Reading(rules.metadata, { malformed: "refused" }));
  } catch (error) {
    if (error instanceof DecodeError) return [fieldErrorOf(error)];
    throw error;
  }
  checkEmbedded(node, value, path, { ...rules, errors });
  return errors;
}

function coerce(value: unknown, path: Path | undefined, node: SchemaNode, reading: Reading): void {
  if (!node.hasEmbedded || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const [i, each] of value.entries()) if (node.items !== undefined) coerce(each, entryOf(path, i), node.items, reading);
    return;
  }
  if (!isObject(value)) return;
  if (node.embedded) coerceEmbedded(value, path, reading);
  for (const [name, each] of Object.entries(value)) {
    const property = node.properties.get(name);
    const below = property ?? node.additional;
    if (below !== undefined) coerce(each, property === undefined ? entryOf(path, name) : propertyOf(path, name), below, reading);
  }
}

/** Its message is that of the field's error, after the field. */
function fieldErrorOf({ message }: DecodeError): FieldError {
  const end = message.indexOf(": ");
  return { type: "FieldValueInvalid", field: message.slice(0, end), message: message.slice(end + 2) };
}

export const child = (around: AroundMeta, name: string): AroundMeta => ({
  ...around,
  wrap: (value) => {
    const object = {};
    setOwn(object, name, value);
    return around.wrap(object);
  },
});

export const item = (around: AroundMeta): AroundMeta => ({ ...around, wrap: (value) => around.wrap([value]) });
