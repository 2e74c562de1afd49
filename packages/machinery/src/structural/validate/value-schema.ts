/** A schema as checking walks it: every rule compiled, whatever Kubernetes does not know left out. */
import { canonicalJson } from "../../apply/canonical-value.ts";
import { deepEqual } from "../../equal.ts";
import { type FieldError, tooMany } from "../../field-error.ts";
import { isSchema } from "../node.ts";
import type { JsonSchema } from "../schema.ts";
import { formatRule, supportedFormat } from "./format.ts";
import { numberRules } from "./number-rules.ts";
import { unsupportedValue } from "./problem.ts";
import { bodyError, fieldOfName, type Rule } from "./rule.ts";
import { textRules } from "./text-rules.ts";
import type { TypeRule } from "./value-type.ts";

export interface ValueSchema extends TypeRule {
  /** The JavaScript type of which every value is valid. */
  readonly any: "string" | "boolean" | undefined;
  readonly text: readonly Rule<string>[];
  /** Of the format. */
  readonly textFormat: Rule<string> | undefined;
  readonly numbers: readonly Rule<number | bigint>[];
  readonly items: ValueSchema | undefined;
  readonly lists: readonly Rule<readonly unknown[]>[];
  readonly enum: Rule<unknown> | undefined;
  readonly properties: ReadonlyMap<string, ValueSchema>;
  /** Of keys that are no properties: `forbidden`, or whatever they like where there is none. */
  readonly additional: ValueSchema | "forbidden" | undefined;
  readonly required: readonly string[];
  readonly objects: readonly Rule<object>[];
  readonly alternatives: Alternatives | undefined;
  /** How items find their old values: by these keys, or not at all. */
  readonly listKeys: readonly string[] | undefined;
}

export interface Alternatives {
  readonly allOf: readonly ValueSchema[];
  readonly anyOf: readonly ValueSchema[];
  readonly oneOf: readonly ValueSchema[];
  readonly not: ValueSchema | undefined;
}

export function compileValueSchema(schema: JsonSchema): ValueSchema {
  const types = schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type ? [schema.type] : [];
  const format = supportedFormat(schema.format ?? "", types);
  const compiled = {
    types,
    format,
    nullable: schema.nullable === true,
    text: textRules(schema),
    textFormat: formatRule(format),
    numbers: numberRules(schema, types, format),
    items: isSchema(schema.items) ? compileValueSchema(schema.items) : undefined,
    lists: listRules(schema),
    enum: schema.enum === undefined || schema.enum.length === 0 ? undefined : enumRule(schema.enum),
    properties: new Map(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, compileValueSchema(property)])),
    additional: additionalOf(schema),
    required: schema.required ?? [],
    objects: objectRules(schema),
    alternatives: alternativesOf(schema),
    listKeys: schema["x-kubernetes-list-type"] === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : undefined,
  };
  return { ...compiled, any: anyOfType(compiled) };
}

function anyOfType({ types, text, textFormat, enum: allowed, alternatives }: Omit<ValueSchema, "any">): ValueSchema["any"] {
  const [type] = types;
  if (allowed !== undefined || alternatives !== undefined || types.length !== 1) return undefined;
  if (type === "string") return text.length === 0 && textFormat === undefined ? type : undefined;
  return type === "boolean" ? type : undefined;
}

function additionalOf({ additionalProperties }: JsonSchema): ValueSchema["additional"] {
  if (isSchema(additionalProperties)) return compileValueSchema(additionalProperties);
  return additionalProperties === false ? "forbidden" : undefined;
}

function alternativesOf({ allOf = [], anyOf = [], oneOf = [], not }: JsonSchema): Alternatives | undefined {
  if (allOf.length + anyOf.length + oneOf.length === 0 && not === undefined) return undefined;
  return {
    allOf: allOf.map(compileValueSchema),
    anyOf: anyOf.map(compileValueSchema),
    oneOf: oneOf.map(compileValueSchema),
    not: not === undefined ? undefined : compileValueSchema(not),
  };
}

/** A fraction equals the integer that Go would cut it down to. */
function enumRule(values: readonly unknown[]): Rule<unknown> {
  const texts = values.map((value) => (typeof value === "string" ? value : canonicalJson(value)));
  const scalars = new Set(values.filter((value) => typeof value !== "object"));
  const objects = values.filter((value) => typeof value === "object" && value !== null);
  return {
    holds: (value) => {
      if (typeof value === "object") return value !== null && objects.some((allowed) => deepEqual(allowed, value));
      return scalars.has(value) || (typeof value === "number" && scalars.has(Math.trunc(value)));
    },
    error: (value, name) => unsupportedValue(fieldOfName(name), value, texts),
  };
}

function listRules({ minItems, maxItems, uniqueItems }: JsonSchema): readonly Rule<readonly unknown[]>[] {
  const rules: Rule<readonly unknown[]>[] = [];
  if (minItems !== undefined) rules.push(minRule(Number(minItems), "items", (list) => list.length));
  if (maxItems !== undefined) rules.push(maxRule(Number(maxItems), (list) => list.length));
  if (uniqueItems === true) rules.push(uniqueRule);
  return rules;
}

function objectRules({ minProperties, maxProperties }: JsonSchema): readonly Rule<object>[] {
  const rules: Rule<object>[] = [];
  if (minProperties !== undefined) rules.push(minRule(Number(minProperties), "properties", countKeys));
  if (maxProperties !== undefined) rules.push(maxRule(Number(maxProperties), countKeys));
  return rules;
}

const countKeys = (object: object): number => Object.keys(object).length;

const minRule = <T>(min: number, what: string, size: (value: T) => number): Rule<T> => ({
  holds: (value) => size(value) >= min,
  error: (value, name) => bodyError(name, size(value), `should have at least ${min} ${what}`),
});

const maxRule = <T>(max: number, size: (value: T) => number): Rule<T> => ({
  holds: (value) => size(value) <= max,
  error: (value, name): FieldError => tooMany(fieldOfName(name), size(value), max),
});

const uniqueRule: Rule<readonly unknown[]> = {
  holds: (list) => new Set(list.map(canonicalJson)).size === list.length,
  error: (_list, name) => bodyError(name, "", "shouldn't contain duplicates"),
};
