/** A schema as checking walks it: every rule compiled, whatever Kubernetes does not know left out. */
import { canonicalJson, deepEqual } from "@coxswain/machinery";
import { isSchema } from "../structural/node.ts";
import type { JsonSchema } from "../structural/schema.ts";
import { listRules, objectRules } from "./collection-rules.ts";
import { formatRule, supportedFormat } from "./format.ts";
import { numberRules } from "./number-rules.ts";
import { unsupportedValue } from "./problem.ts";
import { fieldOfName, type Rule } from "./rule.ts";
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
  readonly enum: EnumRule | undefined;
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
  return (isPlain(schema) ? plain.get(schema.type ?? "") : undefined) ?? compile(schema);
}

/** Nothing but a type, and words. */
function isPlain(schema: JsonSchema): boolean {
  for (const key in schema) if (key !== "type" && key !== "description" && key !== "title" && key !== "default") return false;
  return true;
}

function compile(schema: JsonSchema): ValueSchema {
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
    properties: schema.properties === undefined ? noProperties : compileProperties(schema.properties),
    additional: additionalOf(schema),
    required: schema.required ?? none,
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

const none: readonly never[] = [];
const noProperties: ReadonlyMap<string, ValueSchema> = new Map();

const compileProperties = (properties: Readonly<Record<string, JsonSchema>>): ReadonlyMap<string, ValueSchema> =>
  new Map(Object.entries(properties).map(([name, property]) => [name, compileValueSchema(property)]));

function alternativesOf({ allOf = [], anyOf = [], oneOf = [], not }: JsonSchema): Alternatives | undefined {
  if (allOf.length + anyOf.length + oneOf.length === 0 && not === undefined) return undefined;
  return {
    allOf: allOf.map(compileValueSchema),
    anyOf: anyOf.map(compileValueSchema),
    oneOf: oneOf.map(compileValueSchema),
    not: not === undefined ? undefined : compileValueSchema(not),
  };
}

export interface EnumRule extends Rule<unknown> {
  /** How many values there are: an error names all of them. */
  readonly size: number;
}

/** A fraction equals the integer that Go would cut it down to. */
function enumRule(values: readonly unknown[]): EnumRule {
  const texts = values.map((value) => (typeof value === "string" ? value : canonicalJson(value)));
  const scalars = new Set(values.filter((value) => typeof value !== "object"));
  const objects = values.filter((value) => typeof value === "object" && value !== null);
  return {
    size: values.length,
    holds: (value) => {
      if (typeof value === "object") return value !== null && objects.some((allowed) => deepEqual(allowed, value));
      return scalars.has(value) || (typeof value === "number" && scalars.has(Math.trunc(value)));
    },
    error: (value, name) => unsupportedValue(fieldOfName(name), value, texts),
  };
}

/** What most schemas are, which is why they share these. */
const plain: ReadonlyMap<string, ValueSchema> = new Map(
  ["string", "boolean", "integer", "number"].map((type) => [type, compile({ type })]),
);
