/** What a schema makes of what is sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Json, startApi } from "./api.ts";
import { createWidget, define, definitionOf, merge, redefine, schemaOf, widget, widgets } from "./custom-resources.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

interface Case {
  readonly name: string;
  /** Of `spec`. */
  readonly fields: Json;
  readonly sent: Json;
  readonly stored: Json;
}

const cases: readonly Case[] = [
  { name: "drops what it does not know", fields: { a: text }, sent: { a: "x", b: 1, c: { d: 2 } }, stored: { a: "x" } },
  { name: "fills in defaults", fields: { a: { ...text, default: "x" }, n: integer }, sent: {}, stored: { a: "x" } },
  {
    name: "fills in defaults where their parent is",
    fields: { o: { type: "object", properties: { a: { ...text, default: "x" } } } },
    sent: {},
    stored: {},
  },
  {
    name: "fills in a parent and then what is in it",
    fields: { o: { type: "object", default: {}, properties: { a: { ...text, default: "x" } } } },
    sent: {},
    stored: { o: { a: "x" } },
  },
  {
    name: "takes null for absent where there is a default",
    fields: { a: { ...text, default: "x" } },
    sent: { a: null },
    stored: { a: "x" },
  },
  { name: "keeps null where it may be", fields: { a: { ...text, nullable: true } }, sent: { a: null }, stored: { a: null } },
  {
    name: "keeps null rather than a default where it may be",
    fields: { a: { ...text, nullable: true, default: "x" } },
    sent: { a: null },
    stored: { a: null },
  },
  { name: "drops null where it may not be", fields: { a: text, b: text }, sent: { a: null, b: "y" }, stored: { b: "y" } },
  {
    name: "takes integers and texts alike",
    fields: { port: { "x-kubernetes-int-or-string": true }, other: { "x-kubernetes-int-or-string": true } },
    sent: { port: 80, other: "http" },
    stored: { port: 80, other: "http" },
  },
  {
    name: "keeps everything with x-kubernetes-preserve-unknown-fields",
    fields: { free: anything },
    sent: { free: { a: [{ b: null }] } },
    stored: { free: { a: [{ b: null }] } },
  },
  {
    name: "knows better what it names within what it keeps",
    fields: { free: { ...anything, properties: { known: { type: "object", properties: { a: text } } } } },
    sent: { free: { known: { a: "x", b: "y" }, other: { b: "y" } } },
    stored: { free: { known: { a: "x" }, other: { b: "y" } } },
  },
  {
    name: "treats the values of maps as it does fields",
    fields: { m: { type: "object", additionalProperties: { type: "object", properties: { a: { ...text, default: "x" } } } } },
    sent: { m: { one: {}, two: { a: "y", b: 1 } } },
    stored: { m: { one: { a: "x" }, two: { a: "y" } } },
  },
  {
    name: "treats items as it does fields",
    fields: { l: { type: "array", items: { type: "object", properties: { a: { ...text, default: "x" } } } } },
    sent: { l: [{}, { b: 1 }] },
    stored: { l: [{ a: "x" }, { a: "x" }] },
  },
  {
    name: "keeps of an embedded object what every object has",
    fields: {
      template: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: { spec: { type: "object", properties: { a: text } } },
      },
    },
    sent: {
      template: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { a: "b" }, nope: 1 }, spec: { a: "x", b: "y" }, more: 1 },
    },
    stored: { template: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { a: "b" } }, spec: { a: "x" } } },
  },
  { name: "keeps integers that no double holds", fields: { n: { type: "integer", format: "int64" } }, sent: { n: 1 }, stored: { n: 1 } },
];
for (const { name, fields, sent, stored } of cases) {
  test(`a schema ${name}`, async () => {
    const api = await startApi();
    await define(api, withSpec(fields));
    assert.deepEqual((await createWidget(api, "a", { spec: sent })).spec, stored);
    assert.deepEqual((await api.send("GET", `${widgets}/a`)).body.spec, stored);
    await api.send("POST", widgets, { body: widget("b", { spec: {} }) });
    const patched = await api.send("PATCH", `${widgets}/b`, { type: merge, body: { spec: sent } });
    // A merge patch cannot say null.
    if (!JSON.stringify(sent).includes("null")) assert.deepEqual(patched.body.spec, stored);
  });
}

const withSpec = (fields: Json): Json => definitionOf({ v1: { schema: schemaOf({ spec: fields }) } });

test("an unknown field is an error with fieldValidation=Strict and a warning otherwise", async () => {
  const api = await startApi();
  await define(api);
  const body = widget("a", { spec: { size: 1, sise: 2 } });
  const strict = await api.send("POST", `${widgets}?fieldValidation=Strict`, { body });
  assert.deepEqual(
    [strict.status, strict.body.message],
    [400, 'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.sise"'],
  );
  const warned = await api.send("POST", `${widgets}?fieldValidation=Warn`, { body });
  assert.deepEqual([warned.status, warned.headers.warning], [201, ['299 - "unknown field \\"spec.sise\\""']]);
  const ignored = await api.send("PUT", `${widgets}/a?fieldValidation=Ignore`, { body: { ...warned.body, spec: { size: 1, sise: 3 } } });
  assert.deepEqual([ignored.status, ignored.headers.warning], [200, undefined]);
});

test("an invalid custom resource gets all its errors in one answer", async () => {
  const api = await startApi();
  const fields = {
    a: { ...text, maxLength: 1 },
    n: { ...integer, maximum: 5 },
    s: { ...text, enum: ["x", "y"] },
    p: { ...text, pattern: "^z" },
  };
  const schema = schemaOf({ properties: { spec: { type: "object", required: ["must"], properties: { ...fields, must: text } } } });
  await define(api, definitionOf({ v1: { schema } }));
  const { status, body } = await api.send("POST", widgets, { body: widget("a", { spec: { a: "long", n: 6, s: "q", p: "a" } }) });
  assert.equal(status, 422);
  assert.deepEqual(new Set(body.details.causes.map(({ field, reason }: Json) => `${field} ${reason}`)).size, 5);
  assert.deepEqual([body.details.kind, body.details.group, body.details.name], ["Widget", "example.com", "a"]);
});

/** A definition whose rules became stricter than what is stored. */
async function outgrown(api: Api): Promise<Json> {
  await define(api, withSpec({ a: text, b: text }));
  const created = await createWidget(api, "a", { spec: { a: "long", b: "x" } });
  await redefine(api, ({ spec }) => {
    spec.versions[0].schema = schemaOf({ spec: { a: { ...text, maxLength: 2 }, b: { ...text, maxLength: 2 } } });
  });
  return created;
}

const ratchets = [
  { name: "what was there stays", change: { spec: { b: "y" } }, status: 200 },
  { name: "labels may change", change: { metadata: { labels: { a: "b" } } }, status: 200 },
  { name: "it may become right", change: { spec: { a: "x" } }, status: 200 },
  { name: "it may not become otherwise wrong", change: { spec: { a: "also long" } }, status: 422 },
  { name: "what was right may not become wrong", change: { spec: { b: "long" } }, status: 422 },
];
for (const { name, change, status } of ratchets) {
  test(`rules that came later: ${name}`, async () => {
    const api = await startApi();
    await outgrown(api);
    const answer = await api.send("PATCH", `${widgets}/a`, { type: merge, body: change });
    assert.equal(answer.status, status, answer.text);
  });
}

test("rules that came later hold for what is new", async () => {
  const api = await startApi();
  await outgrown(api);
  assert.equal((await api.send("POST", widgets, { body: widget("b", { spec: { a: "long" } }) })).status, 422);
});
