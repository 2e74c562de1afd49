import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneJson, DecodeError, DecodeReport, deepEqual } from "@coxswain/machinery";
import fc from "fast-check";
import type { JsonSchema } from "../structural/schema.ts";
import { accepts } from "../validate/accepts.ts";
import { explain } from "../validate/explain.ts";
import { compileValueSchema } from "../validate/value-schema.ts";
import { Work } from "../validate/work.ts";
import { compileSpec, texts } from "./structural-fixture.test.ts";

const key = fc.constantFrom("a", "b", "kind", "metadata", "__proto__", "constructor", "toString");

/** Any JSON, with the keys that schemas know and those that only prototypes know. */
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constantFrom(null, true, 0, 1, 1.5, -7, 2n ** 60n, 1e300), fc.string({ maxLength: 3 })),
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(key, tie("value")), { maxLength: 4 })
      .map((entries) =>
        JSON.parse(
          `{${entries.map(([k]) => `${JSON.stringify(k)}:0`).join(",")}}`,
          (k, v) => entries.find(([name]) => name === k)?.[1] ?? v,
        ),
      ),
  ),
}));

const limits = fc.record<JsonSchema>(
  {
    maximum: fc.integer({ min: -1, max: 3 }),
    minLength: fc.nat(2),
    pattern: fc.constantFrom("^a", "b$", "(a|b)*"),
    maxItems: fc.nat(2),
    minProperties: fc.nat(2),
    required: fc.array(key, { maxLength: 1 }),
    format: fc.constantFrom("date", "ipv4", "int32"),
    nullable: fc.boolean(),
    "x-kubernetes-preserve-unknown-fields": fc.constant(true),
    "x-kubernetes-list-type": fc.constantFrom("set", "map"),
    "x-kubernetes-list-map-keys": fc.constantFrom(["a"], ["a", "b"]),
  },
  { requiredKeys: [] },
);

const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(fc.constantFrom("string", "integer", "boolean", "number"), limits).map(([type, more]) => ({ ...more, type })),
    fc
      .tuple(fc.array(fc.tuple(key, tie("schema")), { maxLength: 3 }), limits)
      .map(([properties, more]) => ({ ...more, type: "object", properties: Object.fromEntries(properties) })),
    fc.tuple(tie("schema"), limits).map(([additionalProperties, more]) => ({ ...more, type: "object", additionalProperties })),
    fc.tuple(tie("schema"), limits).map(([items, more]) => ({ ...more, type: "array", items })),
    fc
      .tuple(fc.array(tie("schema"), { minLength: 1, maxLength: 2 }), limits)
      .map(([schemas, more]) => ({ ...more, anyOf: schemas, oneOf: schemas, allOf: schemas })),
    limits.map((more) => ({ ...more, type: "object", "x-kubernetes-embedded-resource": true })),
    fc.constant({ type: "string", default: "x" }),
    fc.constant({ type: "object", properties: { a: { type: "integer", default: 1 } }, default: { b: 1 } }),
  ),
}));

const runs = { numRuns: 300, seed: 7 };

test("reading throws nothing but what is wrong with the body, and reading again changes nothing", () => {
  fc.assert(
    fc.property(anySchema, json, (spec, value) => {
      const schema = compileSpec(spec);
      const object = { spec: cloneJson(value) };
      try {
        schema.decode(object, new DecodeReport());
      } catch (error) {
        assert.ok(error instanceof DecodeError);
        return;
      }
      const again = cloneJson(object) as typeof object;
      const report = new DecodeReport();
      schema.decode(again, report);
      assert.deepEqual(report.problems, []);
      assert.ok(deepEqual(again, object));
      assert.equal(schema.normalize(again), false);
      assert.ok(deepEqual(again, object));
    }),
    runs,
  );
});

test("what is accepted is what has no errors", () => {
  fc.assert(
    fc.property(anySchema, json, (spec, value) => {
      const schema = compileValueSchema(spec);
      assert.equal(accepts(schema, value, new Work()), explain(schema, value, undefined, new Work()).length === 0);
    }),
    runs,
  );
});

test("the same object has the same errors, and none that it had before", () => {
  fc.assert(
    fc.property(anySchema, json, (spec, value) => {
      const first = texts(compileSpec(spec).validate({ spec: value }));
      assert.deepEqual(texts(compileSpec(spec).validate({ spec: cloneJson(value) })), first);
      const tolerated = texts(compileSpec(spec).validate({ spec: value }, { spec: cloneJson(value) }));
      assert.ok(tolerated.every((text) => first.includes(text)));
    }),
    runs,
  );
});

test("a body that is as deep as bodies may be is read", () => {
  const deep = JSON.parse(`${'{"a":['.repeat(490)}1${"]}".repeat(490)}`);
  const schema = compileSpec({ type: "object", additionalProperties: true });
  schema.decode({ spec: deep }, new DecodeReport());
  assert.deepEqual(schema.validate({ spec: deep }), []);
});
