import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DecodeError, field } from "@coxswain/machinery";
import { compileSpec, read, texts } from "../custom-schema/structural-fixture.test.ts";
import type { JsonSchema } from "../structural/schema.ts";

const resource: JsonSchema = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
};
const schema = compileSpec({ type: "object", properties: { one: resource, many: { type: "object", additionalProperties: resource } } });

describe("an embedded resource", () => {
  test("keeps what all objects have, and loses the rest", () => {
    const one = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", nope: 1 }, spec: { a: "1", b: 2 }, extra: 1 };
    assert.deepEqual(read(schema, { one }), {
      spec: { one: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { a: "1" } } },
      problems: ['unknown field "spec.one.extra"', 'unknown field "spec.one.spec.b"', 'unknown field "spec.one.metadata.nope"'],
    });
  });

  const refusals = [
    { name: "a kind that is no text", sent: { one: { kind: 5 } }, message: "spec.one.kind: Invalid value: 5: must be a string" },
    {
      name: "metadata of the wrong type, in a map",
      sent: { many: { k: { metadata: { labels: 5 } } } },
      message:
        'spec.many[k].metadata: Invalid value: {"labels":5}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string',
    },
  ];
  for (const { name, sent, message } of refusals)
    test(`does not take ${name}`, () =>
      assert.throws(
        () => read(schema, sent),
        (error) => error instanceof DecodeError && error.message === message,
      ));

  test("loses from the store what it may not hold", () => {
    const object = { spec: { one: { apiVersion: 1, kind: "Pod", metadata: { name: "a", labels: 5, nope: 1 } } } };
    assert.equal(schema.normalize(object), true);
    assert.deepEqual(object, { spec: { one: { kind: "Pod", metadata: { name: "a" } } } });
  });
});

describe("its errors", () => {
  const cases = [
    {
      name: "nothing but metadata may be missing",
      one: {},
      expect: ["spec.one.apiVersion: Required value", "spec.one.kind: Required value"],
    },
    {
      name: "kinds and versions are not empty",
      one: { apiVersion: "", kind: "" },
      expect: ['spec.one.apiVersion: Invalid value: "": must not be empty', 'spec.one.kind: Invalid value: "": must not be empty'],
    },
    {
      name: "a version has one slash",
      one: { apiVersion: "a/b/c", kind: "Pod" },
      expect: ['spec.one.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    },
    { name: "all is well", one: { apiVersion: "a/b", kind: "Pod", metadata: { name: "x" } }, expect: [] },
  ];
  for (const { name, one, expect } of cases) test(name, () => assert.deepEqual(texts(schema.validate({ spec: { one } })), expect));

  test("a kind is a label once its letters are small", () => {
    const [error] = texts(schema.validate({ spec: { one: { apiVersion: "v1", kind: "My_Pod" } } }));
    assert.match(
      error ?? "",
      /^spec\.one\.kind: Invalid value: "My_Pod": may have mixed case, but should otherwise match: a DNS-1035 label/,
    );
  });

  test("metadata follows the rules that it is given", () => {
    const strict = compileSpec({ type: "object", properties: { one: resource } }, () => [field.forbidden("metadata.name", "no")]);
    assert.deepEqual(texts(strict.validate({ spec: { one: { apiVersion: "v1", kind: "Pod", metadata: {} } } })), [
      "spec.one.metadata.name: Forbidden: no",
    ]);
  });
});
