/**
 * What a custom resource's schema may not say at all: keywords that are not supported, extensions that contradict each
 * other, rules that are not well formed. Structural or not: structural.ts checks that.
 */
import { type FieldError, field } from "@coxswain/machinery";
import type { JsonSchema } from "../structural/schema.ts";
import { extensionErrors, mapListErrors } from "./extensions.ts";
import { maxErrors } from "./limits.ts";
import { additionalOf, forEachProperty, hasDefault, hasProperties, isSchema, itemListOf, itemsOf, saysNothing } from "./parts.ts";
import { occurrencesInside, type RuleChecker, type RuleCosts, ruleErrors } from "./rule-checker.ts";
import { ruleFormErrors } from "./rule-form.ts";

export interface OpenApiOptions {
  readonly requireValidTypes: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapListKeys: boolean;
  /** The rules' expressions are compiled where this is given, in schemas that have no other errors. */
  readonly rules?: { readonly check: RuleChecker; readonly costs: RuleCosts; readonly unchanged: boolean };
}

export const schemaTypes = ["array", "boolean", "integer", "number", "object", "string"];

/** First what is wrong with the schema, then what is wrong with the expressions of its rules. */
export function openApiErrors(schema: JsonSchema, path: string, options: OpenApiOptions): FieldError[] {
  const walk: Walk = { options, schema: [], rules: [] };
  const root: Place = {
    path,
    root: true,
    noDefaults: undefined,
    insideMeta: false,
    uncorrelatable: undefined,
    occurrences: options.rules === undefined ? undefined : 1,
  };
  visit(walk, schema, root);
  return [...walk.schema, ...walk.rules];
}

interface Walk {
  readonly options: OpenApiOptions;
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

interface Place {
  readonly path: string;
  readonly root: boolean;
  /** Why there may be no default. */
  readonly noDefaults: string | undefined;
  /** In apiVersion, kind or metadata of the resource or of one that is embedded. */
  readonly insideMeta: boolean;
  readonly uncorrelatable: string | undefined;
  /** Undefined where rules are not compiled. */
  readonly occurrences: number | undefined;
}

function visit(walk: Walk, schema: JsonSchema, place: Place): void {
  const { path } = place;
  const { options, schema: out } = walk;
  const before = out.length;
  if (before >= maxErrors) return;
  keywordErrors(out, schema, place, options);
  if (schema.uniqueItems) {
    out.push(field.forbidden(`${path}.uniqueItems`, "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
  }
  visitFields(walk, schema, place);
  visitConditions(walk, schema, place);
  visitItems(walk, schema, place);
  for (const [name, each] of Object.entries(schema.dependencies ?? {})) {
    if (isSchema(each)) visit(walk, each, { ...place, ...condition, path: `${path}.dependencies[${name}]` });
  }
  extensionErrors(out, schema, path, options.requireAtomicSets);
  if (options.requireMapListKeys) out.push(...mapListErrors(schema, path));
  ruleFormErrors(out, schema, path);
  // Where the schema is wrong, at this place or below, its types cannot be trusted.
  if (out.length === before) compileRules(walk, schema, place);
}

/** Conditions have no rules of their own, nor are they the root. */
const condition = { root: false, occurrences: undefined } as const;

function visitFields(walk: Walk, schema: JsonSchema, place: Place): void {
  const { path, insideMeta } = place;
  const inside = { ...place, root: false, occurrences: inner(schema, place) };
  const additional = additionalOf(schema);
  if (hasProperties(schema) && (schema.additionalProperties === false || additional !== undefined)) {
    walk.schema.push(field.forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
  }
  if (additional !== undefined) {
    const noDefaults = insideMeta ? "inside additionalProperties applying to object metadata" : place.noDefaults;
    visit(walk, additional, { ...inside, path: `${path}.additionalProperties`, noDefaults });
  }
  const mapType = schema["x-kubernetes-map-type"];
  const correlatable = mapType === undefined || mapType === "granular" || mapType === "atomic";
  forEachProperty(schema, (name, each) => {
    const meta = (place.root || schema["x-kubernetes-embedded-resource"] === true) && metaFields.includes(name);
    visit(walk, each, {
      ...inside,
      path: `${path}.properties[${name}]`,
      uncorrelatable: correlatable ? place.uncorrelatable : (place.uncorrelatable ?? path),
      insideMeta: insideMeta || meta,
      noDefaults: meta && place.root ? `in top-level ${name}` : place.noDefaults,
    });
  });
}

const metaFields = ["metadata", "kind", "apiVersion"];

function visitConditions(walk: Walk, schema: JsonSchema, place: Place): void {
  const { path } = place;
  const nested = (each: JsonSchema, at: string) => visit(walk, each, { ...place, ...condition, path: `${path}.${at}` });
  if (schema.not !== undefined) nested(schema.not, "not");
  for (const junctor of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [i, each] of (schema[junctor] ?? []).entries()) nested(each, `${junctor}[${i}]`);
  }
  for (const [name, each] of Object.entries(schema.definitions ?? {})) nested(each, `definitions[${name}]`);
}

function visitItems(walk: Walk, schema: JsonSchema, place: Place): void {
  const { path } = place;
  // Only lists of type map correlate new items with old ones.
  const uncorrelatable = schema["x-kubernetes-list-type"] === "map" ? place.uncorrelatable : (place.uncorrelatable ?? path);
  const inside = { ...place, root: false, uncorrelatable, occurrences: inner(schema, place) };
  const items = itemsOf(schema);
  if (items !== undefined) visit(walk, items, { ...inside, path: `${path}.items` });
  for (const [i, each] of itemListOf(schema).entries()) visit(walk, each, { ...inside, path: `${path}.items[${i}]` });
}

const inner = (schema: JsonSchema, { occurrences }: Place): number | undefined =>
  occurrences === undefined ? undefined : occurrencesInside(schema, occurrences);

const notSupportedKeywords = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

function keywordErrors(out: FieldError[], schema: JsonSchema, { path, noDefaults, insideMeta }: Place, options: OpenApiOptions): void {
  const { type } = schema;
  if (options.requireValidTypes && type && !schemaTypes.includes(type)) out.push(field.notSupported(`${path}.type`, type, schemaTypes));
  if (hasDefault(schema) && noDefaults !== undefined) out.push(field.forbidden(`${path}.default`, `must not be set ${noDefaults}`));
  for (const keyword of notSupportedKeywords) {
    const said = keyword === "additionalItems" || keyword === "$ref" ? schema[keyword] !== undefined : !saysNothing(schema[keyword]);
    if (said) out.push(field.forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
  }
  if (type === "null") out.push(field.forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  if (itemListOf(schema).length > 0) out.push(field.forbidden(`${path}.items`, "items must be a schema object and not an array"));
  if (insideMeta && schema["x-kubernetes-embedded-resource"]) {
    out.push(field.forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  }
}

function compileRules({ options, rules: out }: Walk, schema: JsonSchema, { path, root, uncorrelatable, occurrences }: Place): void {
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (options.rules === undefined || occurrences === undefined || rules.length === 0) return;
  const { check, costs, unchanged } = options.rules;
  const checked = check(schema, { resource: root || schema["x-kubernetes-embedded-resource"] === true });
  out.push(...ruleErrors(checked, rules, { path, occurrences, uncorrelatable, unchanged }, costs));
}
