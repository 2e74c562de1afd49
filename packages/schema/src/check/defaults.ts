/** Defaults have to be values that the schema itself accepts, without unknown fields. */
import { type FieldError, field } from "@coxswain/machinery";
import { compileNode, type SchemaNode } from "../structural/node.ts";
import type { JsonSchema } from "../structural/schema.ts";
import { explain } from "../validate/explain.ts";
import { withinBounds } from "../validate/value-errors.ts";
import { compileValueSchema, type ValueSchema } from "../validate/value-schema.ts";
import { Work } from "../validate/work.ts";
import { type AroundMeta, aroundErrors, child, coerceDefault, item, type MetaRules, resourceOf } from "./default-meta.ts";
import { inOrder } from "./go-form.ts";
import { maxErrors } from "./limits.ts";
import { additionalOf, hasDefault, isSchema, itemsOf, propertiesOf, propertyOf, someSchema } from "./parts.ts";
import type { DefaultRules } from "./rule-checker.ts";

export interface DefaultCheck {
  readonly requirePruned: boolean;
  readonly meta: MetaRules;
  readonly rules?: DefaultRules;
}

/** For structural schemas. Defaults inside of conditions and of additionalProperties are refused elsewhere. */
export function defaultErrors(schema: JsonSchema, path: string, check: DefaultCheck): FieldError[] {
  if (!someSchema(schema, hasDefault)) return [];
  return withinBounds(path, () => {
    const walk: Walk = { out: [], check, work: new Work() };
    visit(walk, { schema: { ...schema, "x-kubernetes-embedded-resource": true }, forms: undefined, path, around: undefined });
    return walk.out;
  });
}

/** How values of a schema are read and checked. */
interface Forms {
  readonly node: SchemaNode;
  readonly values: ValueSchema;
}

const compile = (schema: JsonSchema): Forms => ({ node: compileNode(schema), values: compileValueSchema(withoutIntOrString(schema)) });

/** A default, unlike other values, may be of any type here unless the schema names types. */
function withoutIntOrString(schema: JsonSchema): JsonSchema {
  const { "x-kubernetes-int-or-string": _, ...rest } = schema;
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  return {
    ...rest,
    ...(items === undefined ? {} : { items: withoutIntOrString(items) }),
    ...(additional === undefined ? {} : { additionalProperties: withoutIntOrString(additional) }),
    properties: Object.fromEntries(propertiesOf(schema).map(([name, each]) => [name, withoutIntOrString(each)])),
  };
}

interface Walk {
  readonly out: FieldError[];
  readonly check: DefaultCheck;
  readonly work: Work;
}

interface Place {
  readonly schema: JsonSchema;
  /** Compiled from the first schema with a default on. */
  readonly forms: Forms | undefined;
  readonly path: string;
  /** Set inside of apiVersion, kind and metadata of a resource. */
  readonly around: AroundMeta | undefined;
}

function visit(walk: Walk, { schema, forms = hasDefault(schema) ? compile(schema) : undefined, path, around }: Place): void {
  if (walk.out.length >= maxErrors) return;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const inside = embedded ? undefined : around;
  if (forms !== undefined && hasDefault(schema)) oneDefault(walk, { schema, forms, path: `${path}.default`, around: inside });
  const items = itemsOf(schema);
  if (items !== undefined) {
    const at = { schema: items, forms: both(forms?.node.items, forms?.values.items), path: `${path}.items` };
    visit(walk, { ...at, around: inside && item(inside) });
  }
  const resource = embedded ? resourceOf(schema) : undefined;
  for (const [name, each] of propertiesOf(schema)) {
    const outer = resource !== undefined && metaFields.includes(name) ? resource : inside;
    const below = both(forms?.node.properties.get(name), forms?.values.properties.get(name));
    visit(walk, { schema: each, forms: below, path: `${path}.properties[${name}]`, around: outer && child(outer, name) });
  }
}

const both = (node: SchemaNode | undefined, values: ValueSchema | undefined): Forms | undefined =>
  node === undefined || values === undefined ? undefined : { node, values };

/** A value that is wrong in one way is not looked at in the next. */
function oneDefault({ out, check, work }: Walk, { schema, forms, path, around }: Place & { readonly forms: Forms }): void {
  const sent = schema.default;
  const { node, values } = forms;
  const inside = coerceDefault(sent, path, node, check.meta);
  const value = around === undefined ? inside.value : sent;
  if (around === undefined && check.requirePruned && !isPruned(sent, schema)) {
    out.push(field.invalid(path, inOrder(value), "must not have unknown fields"));
  }
  let errors = around === undefined ? inside.errors : aroundErrors(sent, path, around, check.meta);
  if (errors.length === 0) errors = explain(values, value, undefined, work).map((error) => within(path, error));
  if (errors.length === 0) errors = check.rules?.(schema, value, path, { resource: node.embedded }) ?? [];
  out.push(...errors);
}

/** An error in the whole default names no field of it. */
const within = (path: string, error: FieldError): FieldError => ({
  ...error,
  field: error.field === "" || error.field === "<nil>" ? path : `${path}.${error.field}`,
});

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
