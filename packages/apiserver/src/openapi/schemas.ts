/** Schemas of OpenAPI 3.0 from the facts of the built-in types. */
import { type Descriptions, type FieldFacts, publishedListSchema, type ResourceDefinition, type TypeFacts } from "@coxswain/api";
import { inPieces, nextTurn } from "./in-pieces.ts";
import { deleteOptions, typeBeside, typeNameOfResource, versionInfo, watchEvent } from "./names.ts";

export type Schema = Readonly<Record<string, unknown>>;
export type GroupVersion = readonly [group: string, version: string];

export interface SchemaSources {
  readonly facts: ReadonlyMap<string, TypeFacts>;
  readonly descriptions: Descriptions;
  /** Custom resources, whose schemas are their own. */
  readonly custom: readonly ResourceDefinition[];
  /** The document's groups and versions: options and watch events belong to every one. */
  readonly groupVersions: readonly GroupVersion[];
}

const refPrefix = "#/components/schemas/";
export const refTo = (name: string): Schema => ({ $ref: `${refPrefix}${name}` });

/** The named types and all that they refer to, by name in order. */
export async function schemasOf(names: Iterable<string>, sources: SchemaSources): Promise<Record<string, Schema>> {
  const own = await customSchemas(sources);
  const found = new Map<string, Schema>();
  const wanted = [...names];
  while (wanted.length > 0) {
    await nextTurn();
    for (const name of wanted.splice(0, 200)) {
      if (found.has(name)) continue;
      const schema = own.get(name) ?? builtinSchema(name, sources);
      found.set(name, schema);
      for (const ref of refsIn(schema)) wanted.push(ref.slice(refPrefix.length));
    }
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Every `$ref` within. */
export function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === "$ref" && typeof child === "string") yield child;
    else yield* refsIn(child);
  }
}

function builtinSchema(name: string, sources: SchemaSources): Schema {
  if (name === versionInfo) return versionInfoSchema;
  const facts = sources.facts.get(name);
  if (facts === undefined) throw new Error(`no built-in type is named ${name}`);
  const texts = sources.descriptions(name);
  const description = texts[""] === undefined ? {} : { description: texts[""] };
  if (facts.fields === undefined) return { ...description, ...(formsWithoutFields[facts.type ?? "any"] ?? {}) };
  const fields = Object.entries(facts.fields);
  const required = fields.filter(([, field]) => field.required === true).map(([field]) => field);
  const kinds = kindsOf(name, facts, sources.groupVersions);
  return {
    ...description,
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    ...(fields.length === 0
      ? {}
      : { properties: Object.fromEntries(fields.map(([field, f]) => [field, fieldSchema(f, texts[field], sources.facts)])) }),
    ...(facts.mapType === undefined ? {} : { "x-kubernetes-map-type": facts.mapType }),
    ...(kinds.length === 0 ? {} : { "x-kubernetes-group-version-kind": kinds }),
  };
}

const formsWithoutFields: Readonly<Record<string, Schema>> = {
  __proto__: null as never,
  "string:date-time": { type: "string", format: "date-time" },
  "string-or-number": { oneOf: [{ type: "string" }, { type: "number" }] },
  "int-or-string": { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  object: { type: "object" },
  any: {},
};

function kindsOf(name: string, facts: TypeFacts, groupVersions: readonly GroupVersion[]): object[] {
  const everywhere = name === deleteOptions || name === watchEvent;
  const kind = name.slice(name.lastIndexOf(".") + 1);
  const rest = groupVersions.filter(([group]) => group !== "").map(([group, version]): [string, string, string] => [group, version, kind]);
  const kinds = everywhere ? [["", "v1", kind] as const, ...rest] : (facts.gvk ?? []);
  return kinds.map(([group, version, kind]) => ({ group, kind, version }));
}

function fieldSchema(field: FieldFacts, description: string | undefined, facts: SchemaSources["facts"]): Schema {
  const type = typeSchema(field.type, facts);
  const more = {
    ...(description === undefined ? {} : { description }),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.enum === undefined ? {} : { enum: field.enum }),
    ...(field.listMapKeys === undefined ? {} : { "x-kubernetes-list-map-keys": field.listMapKeys }),
    ...(field.listType === undefined ? {} : { "x-kubernetes-list-type": field.listType }),
    ...(field.mapType === undefined ? {} : { "x-kubernetes-map-type": field.mapType }),
    ...(field.patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": field.patchMergeKey }),
    ...(field.patchStrategy === undefined ? {} : { "x-kubernetes-patch-strategy": field.patchStrategy }),
  };
  return beside(type, more);
}

/** Nothing may stand beside a `$ref` in OpenAPI 3.0, so that it moves into an `allOf`. */
const beside = (type: Schema, more: Schema): Schema =>
  "$ref" in type && Object.keys(more).length > 0 ? { allOf: [type], ...more } : { ...type, ...more };

function typeSchema(type: string, facts: SchemaSources["facts"]): Schema {
  if (type.startsWith("[")) return { type: "array", items: elementSchema(type.slice(1, -1), facts) };
  if (type.startsWith("{")) return { type: "object", additionalProperties: elementSchema(type.slice(1, -1), facts) };
  if (facts.has(type)) return refTo(type);
  const [name, format] = type.split(":");
  return format === undefined ? { type: name } : { type: name, format };
}

/** Elements of lists and maps carry the zero value of their Go type as default, as far as it is one that JSON shows. */
function elementSchema(type: string, facts: SchemaSources["facts"]): Schema {
  const schema = typeSchema(type, facts);
  if (facts.get(type)?.fields !== undefined) return beside(schema, { default: {} });
  const zero = zeros[type];
  return zero === undefined ? schema : { ...schema, default: zero };
}

const zeros: Readonly<Record<string, unknown>> = {
  __proto__: null as never,
  string: "",
  boolean: false,
  "integer:int32": 0,
  "integer:int64": 0,
};

/** Custom resources and their lists. */
async function customSchemas({ custom }: SchemaSources): Promise<Map<string, Schema>> {
  const schemas = new Map<string, Schema>();
  for await (const piece of inPieces(custom, 20)) {
    for (const definition of piece) {
      const { schema, listKind } = definition;
      if (schema === undefined) continue;
      const name = typeNameOfResource(definition);
      schemas.set(name, schema);
      schemas.set(typeBeside(name, listKind), publishedListSchema(schema, definition));
    }
  }
  return schemas;
}

const text = { type: "string" };
const always = { type: "string", default: "" };
const versionInfoSchema: Schema = {
  description: "Which version of Kubernetes the server speaks, and how it was built.",
  type: "object",
  required: ["major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"],
  properties: {
    buildDate: always,
    compiler: always,
    emulationMajor: text,
    emulationMinor: text,
    gitCommit: always,
    gitTreeState: always,
    gitVersion: always,
    goVersion: always,
    major: always,
    minCompatibilityMajor: text,
    minCompatibilityMinor: text,
    minor: always,
    platform: always,
  },
};
