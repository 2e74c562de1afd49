/**
 * Bounds on what a schema may cost to check, so that one request cannot hold up the others. Kubernetes has none but the
 * size of a request; the schemas of real projects come nowhere near these.
 */
import { type FieldError, field } from "@coxswain/machinery";
import type { JsonSchema, ValidationRule } from "../structural/schema.ts";
import { patternSize } from "../validate/pattern.ts";
import { childrenOf } from "./parts.ts";

export const maxDepth = 200;
export const maxSchemas = 30_000;
/** Of all names on the way to a field together, and of a list's keys together: each error repeats them. */
export const maxNames = 8_000;
/** Of all different patterns together, in instructions; compiling takes about a microsecond for each. */
export const maxPatternSize = 30_000;
/** Of all defaults together: numbers, texts, lists and so on, at any depth. Each is checked, copied and shown in errors. */
export const maxDefaultValues = 20_000;
/** In all enums together, at any depth, and of required names. Of more, 1.5 MiB of etcd's form could not hold the definition. */
export const maxListedValues = 250_000;
/** Of all rules together, in characters; each costs some more of them. Compiling takes about half a microsecond for each. */
export const maxRuleText = 120_000;
const fixedRuleText = 40;
/** Longer ones are refused for themselves. */
const maxRule = 100_000;
/** No more errors are looked for when there are as many. */
export const maxErrors = 1_000;

interface Found {
  readonly schema: JsonSchema;
  readonly depth: number;
  readonly names: number;
}

/** Whoever walks schemas without errors here may recurse. The bounds are on one, or on those of several versions together. */
export function limitErrors(schemas: readonly JsonSchema[], path: string): FieldError[] {
  const rest: Found[] = schemas.map((schema) => ({ schema, depth: 0, names: 0 }));
  const patterns = new Set<string>();
  let count = 0;
  let size = 0;
  let defaults = 0;
  let listed = 0;
  let rules = 0;
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { depth, names } = next;
    const keys = next.schema["x-kubernetes-list-map-keys"]?.join("").length ?? 0;
    const pattern = next.schema.pattern ?? "";
    if (!patterns.has(pattern)) size += patternSize(pattern);
    patterns.add(pattern);
    if (next.schema.default !== undefined) defaults += countValues(next.schema.default, maxDefaultValues);
    if (next.schema.enum !== undefined) listed += countValues(next.schema.enum, maxListedValues);
    listed += next.schema.required?.length ?? 0;
    for (const rule of next.schema["x-kubernetes-validations"] ?? []) rules += ruleText(rule);
    if (depth > maxDepth) return [field.forbidden(path, `schemas may not be nested deeper than ${maxDepth} levels`)];
    if (++count + rest.length > maxSchemas) return [field.forbidden(path, `may not contain more than ${maxSchemas} schemas`)];
    if (Math.max(names, keys) > maxNames)
      return [field.forbidden(path, `names of nested fields may not have more than ${maxNames} characters`)];
    if (defaults > maxDefaultValues) return [field.forbidden(path, `defaults may not contain more than ${maxDefaultValues} values`)];
    if (listed > maxListedValues)
      return [field.forbidden(path, `enums and required names may not contain more than ${maxListedValues} values`)];
    if (rules > maxRuleText) return [field.forbidden(path, `rules may not have more than ${maxRuleText} characters together`)];
    if (size > maxPatternSize) return [field.forbidden(path, "patterns are too large")];
    for (const [name, child] of childrenOf(next.schema)) rest.push({ schema: child, depth: depth + 1, names: names + name.length });
  }
  return [];
}

const ruleText = ({ rule, messageExpression = "" }: ValidationRule): number =>
  fixedRuleText + Math.min(rule.length, maxRule) + Math.min(messageExpression.length, maxRule);

/** How many values there are in a JSON value, itself among them; those beyond `enough` are not counted. */
function countValues(value: unknown, enough: number): number {
  const rest = [value];
  let count = 0;
  while (rest.length > 0 && count + rest.length <= enough) {
    const next = rest.pop();
    count++;
    if (typeof next === "object" && next !== null) for (const key in next) rest.push((next as Readonly<Record<string, unknown>>)[key]);
  }
  return count + rest.length;
}
