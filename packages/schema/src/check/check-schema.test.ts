/** A row is a schema, or what is inside one, and what Kubernetes says is wrong with it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StructType } from "@coxswain/machinery";
import { field } from "@coxswain/machinery";
import fc from "fast-check";
import type { JsonSchema } from "../structural/schema.ts";
import { checkSchema, type SchemaCheck } from "./check-schema.ts";
import { maxDepth } from "./limits.ts";
import { schemaTolerance } from "./tolerance.ts";

const metadata: StructType = { kind: "struct", name: "v1.ObjectMeta", shortName: "ObjectMeta", fields: new Map(), atomic: false };

const strict: SchemaCheck = {
  ...schemaTolerance([]),
  unchanged: false,
  status: false,
  meta: { metadata, checkMetadata: () => [] },
};

/** Paths begin at the schema. */
const problemsOf = (schema: JsonSchema, check: Partial<SchemaCheck> = {}): string[] =>
  checkSchema(schema, "s", { ...strict, ...check }).map((error) => field.formatFieldError(error).replace(/^s\./, ""));

const inside = (schema: JsonSchema, name = "a"): JsonSchema => ({ type: "object", properties: { [name]: schema } });
const text: JsonSchema = { type: "string" };
const port: JsonSchema = { anyOf: [{ type: "integer" }, { type: "string" }] };

interface Case {
  readonly name: string;
  /** Of the field `a`. */
  readonly field?: JsonSchema;
  /** Of the whole object. */
  readonly root?: JsonSchema;
  readonly check?: Partial<SchemaCheck>;
  readonly expect: readonly string[];
}

const structure: readonly Case[] = [
  { name: "a plain schema is fine", root: inside(text), expect: [] },
  { name: "the root has a type", root: {}, expect: ["type: Required value: must not be empty at the root"] },
  { name: "the root is an object", root: text, expect: ['type: Invalid value: "string": must be object at the root'] },
  { name: "a field has a type", field: {}, expect: ["properties[a].type: Required value: must not be empty for specified object fields"] },
  {
    name: "items have a type",
    field: { type: "array", items: {} },
    expect: ["properties[a].items.type: Required value: must not be empty for specified array items"],
  },
  { name: "a list says what its items are", field: { type: "array" }, expect: ["properties[a].items: Required value: must be specified"] },
  { name: "what preserves unknown fields needs no type", field: { "x-kubernetes-preserve-unknown-fields": true }, expect: [] },
  { name: "nor does what is an integer or a string", field: { "x-kubernetes-int-or-string": true, ...port }, expect: [] },
  {
    name: "in both of their forms",
    field: { "x-kubernetes-int-or-string": true, allOf: [port, { minimum: 1 }] },
    expect: [],
  },
  {
    name: "other conditions name no types",
    field: { ...text, anyOf: [{ type: "string" }], not: { title: "t", default: 1, nullable: true } },
    expect: [
      "properties[a].anyOf[0].type: Forbidden: must be empty to be structural",
      "properties[a].not.default: Forbidden: must be undefined to be structural",
      "properties[a].not.nullable: Forbidden: must be false to be structural",
      "properties[a].not.title: Forbidden: must be empty to be structural",
    ],
  },
  {
    name: "conditions at the root speak of what is declared",
    root: { ...inside({ type: "object" }), oneOf: [{ properties: { a: { properties: { b: { minimum: 1 } } } } }] },
    expect: ["properties[a].properties[b]: Required value: because it is defined in s.oneOf[0].properties[a].properties[b]"],
  },
  {
    name: "metadata may restrict names only",
    root: inside({ type: "object", properties: { labels: { type: "object" } } }, "metadata"),
    expect: [
      "properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  },
  { name: "names of metadata are fine", root: inside({ type: "object", properties: { name: text } }, "metadata"), expect: [] },
  {
    name: "an embedded resource is an object that knows its fields, or keeps them",
    field: { type: "object", "x-kubernetes-embedded-resource": true },
    expect: [
      "properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    ],
  },
  {
    name: "patterns are RE2",
    field: { ...text, pattern: "(?=x)" },
    expect: [
      'properties[a].pattern: Invalid value: "(?=x)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
  },
];

const keywords: readonly Case[] = [
  {
    name: "some keywords are not supported",
    field: { ...text, $ref: "#", id: "i", additionalItems: true, uniqueItems: true, definitions: { d: text } },
    expect: [
      "properties[a].id: Forbidden: id is not supported",
      "properties[a].additionalItems: Forbidden: additionalItems is not supported",
      "properties[a].definitions: Forbidden: definitions is not supported",
      "properties[a].$ref: Forbidden: $ref is not supported",
      "properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
  },
  {
    name: "what only the conversion finds is reported last",
    root: { type: "object", $schema: "s" },
    expect: ["s: Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"],
  },
  {
    name: "properties and additionalProperties exclude each other",
    field: { type: "object", properties: { b: text }, additionalProperties: text },
    expect: ["properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
  },
  {
    name: "types are those of OpenAPI",
    field: { type: "text" },
    expect: [
      'properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  },
  {
    name: "with the status subresource, the root says little",
    root: { type: "object", properties: { a: text }, nullable: true },
    check: { status: true },
    expect: [
      /only \[Description Type .*XValidations\] fields are allowed/.source,
      "nullable: Forbidden: nullable cannot be true at the root",
    ],
  },
  {
    name: "list types and their keys",
    field: { type: "array", items: inside({ type: "object" }), "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"] },
    expect: [
      `properties[a].items.properties[a].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map`,
      'properties[a].x-kubernetes-list-map-keys: Invalid value: ["a","b"]: entries must all be names of item properties',
      "properties[a].items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
    ],
  },
  {
    name: "items of sets are atomic",
    field: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" },
    expect: [
      "properties[a].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
    ],
  },
  {
    name: "rules say something, in one line, about a field that is there",
    field: {
      ...inside(text),
      "x-kubernetes-validations": [
        { rule: " " },
        { rule: "true", message: "a\nb", reason: "Why", fieldPath: ".b" },
        { rule: "true\n", messageExpression: " " },
        { rule: "true\n&& true", fieldPath: ".a" },
      ],
    },
    expect: [
      "properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified",
      'properties[a].x-kubernetes-validations[1].message: Invalid value: "a\\nb": must not contain line breaks',
      'properties[a].x-kubernetes-validations[1].reason: Unsupported value: "Why": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      'properties[a].x-kubernetes-validations[1].fieldPath: Invalid value: ".b": must be a valid path',
      "properties[a].x-kubernetes-validations[2].messageExpression: Required value: messageExpression must be non-empty if specified",
      "properties[a].x-kubernetes-validations[3].message: Required value: message must be specified if rule contains line breaks",
    ],
  },
];

const defaults: readonly Case[] = [
  {
    name: "a default has no unknown fields",
    field: { ...inside(text), default: { b: 1, a: "x" } },
    expect: ['properties[a].default: Invalid value: {"a":"x","b":1}: must not have unknown fields'],
  },
  {
    name: "unless they were there before, or are kept",
    field: { type: "object", default: { b: 1 }, "x-kubernetes-preserve-unknown-fields": true },
    expect: [],
  },
  {
    name: "a default is of its type",
    field: { type: "object", properties: { n: { type: "integer" } }, default: { n: "1" } },
    expect: ['properties[a].default.n: Invalid value: "string": n in body must be of type integer: "string"'],
  },
  {
    name: "a default is one of those allowed",
    field: { ...text, enum: ["x"], default: "y" },
    expect: ['properties[a].default: Unsupported value: "y": supported values: "x"'],
  },
  {
    name: "the root's own fields have none",
    root: inside({ ...text, default: "v1" }, "apiVersion"),
    expect: ["properties[apiVersion].default: Forbidden: must not be set in top-level apiVersion"],
  },
];

for (const { name, field, root = inside(field ?? {}), check, expect } of [...structure, ...keywords, ...defaults])
  test(name, () => {
    const found = problemsOf(root, check);
    assert.equal(found.length, expect.length, found.join("\n"));
    for (const [i, problem] of found.entries()) {
      if (expect[i]?.startsWith("only \\[")) assert.match(problem, new RegExp(expect[i]));
      else assert.equal(problem, expect[i]);
    }
  });

test("what was wrong before may stay, and only that", () => {
  const before = inside({ type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" });
  const after = { ...before, properties: { ...before.properties, b: {} } };
  assert.deepEqual(problemsOf(after, schemaTolerance([before])), [
    "properties[b].type: Required value: must not be empty for specified object fields",
  ]);
});

const nested = (depth: number): JsonSchema => (depth === 0 ? text : inside(nested(depth - 1)));

const hostile: readonly Case[] = [
  { name: "depth", root: nested(maxDepth + 1), expect: ["s: Forbidden: schemas may not be nested deeper than 200 levels"] },
  {
    name: "long names, which every error would repeat",
    root: inside(inside({}, "x".repeat(5_000)), "y".repeat(5_000)),
    expect: ["s: Forbidden: names of nested fields may not have more than 8000 characters"],
  },
  {
    name: "patterns that compile to much",
    root: inside({ ...text, pattern: "((x{10}){10}){10}".repeat(200) }),
    expect: ["s: Forbidden: patterns are too large"],
  },
  {
    name: "schemas",
    root: { type: "object", properties: Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`f${i}`, text])) },
    expect: ["s: Forbidden: may not contain more than 30000 schemas"],
  },
  {
    name: "values of defaults",
    root: inside({ type: "array", items: text, default: Array(20_000).fill("") }),
    expect: ["s: Forbidden: defaults may not contain more than 20000 values"],
  },
  {
    name: "rules",
    root: inside({ ...text, "x-kubernetes-validations": Array(3_000).fill({ rule: "self != ''" }) }),
    expect: ["s: Forbidden: rules may not have more than 120000 characters together"],
  },
  { name: "fields of the prototype", root: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'), expect: [] },
  { name: "a field called constructor", root: inside({ ...text, default: "d" }, "constructor"), expect: [] },
];
for (const { name, root = {}, expect } of hostile)
  test(`hostile: ${name}`, () => {
    assert.deepEqual(problemsOf(root), expect);
  });

test("a thousand errors are enough", () => {
  const root: JsonSchema = { type: "object", properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, {}])) };
  assert.equal(problemsOf(root).length, 1_000);
});

const scalarFields = {
  type: fc.constantFrom("object", "array", "string", "integer", "odd"),
  pattern: fc.string({ maxLength: 5 }),
  default: fc.jsonValue({ maxDepth: 2 }),
  enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
  nullable: fc.boolean(),
  "x-kubernetes-preserve-unknown-fields": fc.boolean(),
  "x-kubernetes-embedded-resource": fc.boolean(),
  "x-kubernetes-int-or-string": fc.boolean(),
  "x-kubernetes-list-type": fc.constantFrom("set", "map", "atomic", "odd"),
  "x-kubernetes-list-map-keys": fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
};

function schemas(depth: number): fc.Arbitrary<JsonSchema> {
  if (depth === 0) return fc.record(scalarFields, { requiredKeys: [] });
  const inner = schemas(depth - 1);
  const containers = {
    items: fc.oneof(inner, fc.array(inner, { maxLength: 1 })),
    properties: fc.dictionary(fc.constantFrom("a", "b", "metadata", "kind", "__proto__"), inner, { maxKeys: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), inner),
    anyOf: fc.array(inner, { maxLength: 2 }),
    not: inner,
  };
  return fc.record({ ...scalarFields, ...containers }, { requiredKeys: [] });
}

test("any schema gets an answer, always the same", () => {
  fc.assert(
    fc.property(schemas(3), (schema) => {
      const before = JSON.stringify(schema);
      assert.deepEqual(problemsOf(schema), problemsOf(schema));
      assert.equal(JSON.stringify(schema), before, "the schema is left as it is");
    }),
    { numRuns: 200 },
  );
});
