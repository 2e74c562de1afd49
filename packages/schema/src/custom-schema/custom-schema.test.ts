import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DecodeError, DecodeReport } from "@coxswain/machinery";
import { compileRoot, compileSpec, read, texts } from "./structural-fixture.test.ts";

/** The definition and the answers of the recorded scenario. */
const seat = compileSpec({
  type: "object",
  required: ["row"],
  properties: {
    row: { type: "string", pattern: "^[A-Z]$" },
    count: { type: "integer", minimum: 1, maximum: 9, default: 1 },
    mode: { type: "string", enum: ["corner", "aisle"] },
    port: { "x-kubernetes-int-or-string": true },
    tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
});

test("prunes and fills in on creation", () => {
  assert.deepEqual(read(seat, { row: "A", mode: "corner", extra: 1, free: { any: { thing: 1 } } }), {
    spec: { row: "A", mode: "corner", free: { any: { thing: 1 } }, count: 1 },
    problems: ['unknown field "spec.extra"'],
  });
});

describe("reports all errors at once", () => {
  const cases = [
    {
      name: "limits, patterns, lists",
      spec: { row: "aa", count: 12, mode: "floor", tags: ["x", "x"] },
      expect: [
        "spec.row: Invalid value: \"aa\": spec.row in body should match '^[A-Z]$'",
        "spec.count: Invalid value: 12: spec.count in body should be less than or equal to 9",
        'spec.mode: Unsupported value: "floor": supported values: "corner", "aisle"',
        'spec.tags[1]: Duplicate value: "x"',
      ],
    },
    { name: "what is missing", spec: { count: 1 }, expect: ["spec.row: Required value"] },
    {
      name: "types",
      spec: { row: "A", count: "two" },
      expect: ['spec.count: Invalid value: "string": spec.count in body must be of type integer: "string"'],
    },
  ];
  for (const { name, spec, expect } of cases) test(name, () => assert.deepEqual(texts(seat.validate({ spec })), expect));
});

describe("metadata is ObjectMeta, whatever the schema says", () => {
  test("unknown fields go before those of the schema", () => {
    const report = new DecodeReport();
    const object = { metadata: { name: "a", sub: 1 }, spec: { row: "A", a: 1 }, other: 1 };
    seat.decode(object, report);
    assert.deepEqual(object, { metadata: { name: "a" }, spec: { row: "A", count: 1 } });
    assert.deepEqual(report.problems, ['unknown field "metadata.sub"', 'unknown field "other"', 'unknown field "spec.a"']);
  });

  test("a wrong type is an error of Go's", () => {
    const labels = JSON.parse('{"metadata":{"labels":{"a":5}}}');
    assert.throws(
      () => seat.decode(labels, undefined),
      (error) =>
        error instanceof DecodeError &&
        error.message === "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
    );
  });

  test("null is empty", () => {
    const object = JSON.parse('{"metadata":null}');
    seat.decode(object, undefined);
    assert.deepEqual(object, { metadata: {} });
  });

  test("kind, apiVersion and metadata need no schema", () => {
    const schema = compileRoot({ type: "object" });
    const object = { kind: "Seat", apiVersion: "example.com/v1", metadata: { name: "a" }, spec: 1 };
    schema.decode(object, undefined);
    assert.deepEqual(object, { kind: "Seat", apiVersion: "example.com/v1", metadata: { name: "a" } });
  });
});

describe("the store's objects", () => {
  test("lose and gain what the schema has changed", () => {
    const object = { spec: { row: "A", old: 1 } };
    assert.equal(seat.normalize(object), true);
    assert.deepEqual(object, { spec: { row: "A", count: 1 } });
    assert.equal(seat.normalize(object), false);
  });

  test("lose what another version does not have, and gain nothing", () => {
    const object = JSON.parse('{"kind":"Seat","metadata":{"name":"a"},"spec":{"row":"A","old":1,"mode":null,"count":null}}');
    seat.prune(object);
    assert.deepEqual(object, { kind: "Seat", metadata: { name: "a" }, spec: { row: "A", count: null } });
    const empty = { spec: { row: "A" } };
    seat.prune(empty);
    assert.deepEqual(empty, { spec: { row: "A" } });
  });

  test("keep their metadata", () => {
    const object = JSON.parse('{"metadata":{"name":"a","later":1}}');
    assert.equal(seat.normalize(object), false);
  });
});

describe("a write to status", () => {
  test("looks at status alone, whose names begin there", () => {
    const old = { spec: { row: "wrong" } };
    assert.deepEqual(texts(seat.validateStatus({ ...old, status: { count: "1" } }, old)), [
      'status.count: Invalid value: "string": count in body must be of type integer: "string"',
    ]);
    assert.deepEqual(seat.validateStatus({ ...old, status: { count: 1 } }, old), []);
  });

  test("tolerates what was wrong before", () => {
    const old = { status: { count: "1" } };
    assert.deepEqual(seat.validateStatus(structuredClone(old), old), []);
  });
});

describe("lists of defaults do not make much of little", () => {
  const generous = compileSpec({
    type: "array",
    items: { type: "object", properties: { text: { type: "string", default: "x".repeat(1_000) }, free: { type: "object", default: {} } } },
  });
  const list = (length: number) => Array.from({ length }, () => ({}));
  test("what fits is filled in", () => {
    assert.equal(JSON.stringify(read(generous, list(1_000)).spec).length, 1_000 * 1_022 + 1);
  });
  test("unknown fields of a write are reported", () => {
    assert.throws(() => generous.decode({ spec: list(5_000) }, undefined), DecodeError);
  });
  test("whoever reads more gets a part", () => {
    const object = { spec: list(5_000) };
    assert.ok(generous.normalize(object));
    assert.ok(JSON.stringify(object).length < 5 * 1024 * 1024);
  });
});
