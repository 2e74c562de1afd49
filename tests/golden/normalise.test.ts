import assert from "node:assert/strict";
import { test } from "node:test";
import { Normaliser } from "./normalise.ts";

const raw = (body: unknown, type = "application/json") => ({
  status: 200,
  type,
  warnings: [],
  text: typeof body === "string" ? body : JSON.stringify(body),
});
const bodyOf = (body: unknown, keep?: readonly string[]) =>
  new Normaliser("ns-1").answer({ name: "s", ...(keep === undefined ? {} : { keep }) }, raw(body)).body;

const uid = "0b7c1f2e-1111-4222-8333-444455556666";
const entry = (manager: string, operation = "Update") => ({ manager, operation, time: "2026-01-02T03:04:05Z" });
const managers = (...entries: readonly object[]) =>
  (bodyOf({ metadata: { managedFields: entries } }) as { metadata: { managedFields: { manager: string }[] } }).metadata.managedFields.map(
    ({ manager }) => manager,
  );

const cases = [
  { name: "the namespace, in texts and keys", body: { "f:ns-1": "in ns-1" }, expect: { "f:NS": "in NS" } },
  { name: "a uid, by its ordinal", body: [uid, uid.replace("0b", "0c"), uid], expect: ["uid#1", "uid#2", "uid#1"] },
  { name: "times", body: { t: "2026-01-02T03:04:05.123456+02:00" }, expect: { t: "TIME" } },
  { name: "resourceVersions, but not zero", body: [v("7"), v("9"), v("7"), v("0")], expect: [v("rv#1"), v("rv#2"), v("rv#1"), v("0")] },
  {
    name: "one resourceVersion of two objects, which is that of the first where no object is named",
    body: [of("u", "7"), of("w", "7"), of("u", "7"), v("7"), of("w", "9")],
    expect: [of("u", "rv#1"), of("w", "rv#2"), of("u", "rv#1"), v("rv#1"), of("w", "rv#3")],
  },
  { name: "the version of a list", body: { items: [], metadata: v("7") }, expect: { items: [], metadata: v("LIST") } },
  { name: "no version of a list", body: { items: [], metadata: v("") }, expect: { items: [], metadata: v("") } },
  {
    name: "ages in cells, but not elsewhere",
    body: { rows: [{ cells: ["3m5s", 1, null, "2 (3d ago)"] }], age: "3m5s" },
    expect: { age: "3m5s", rows: [{ cells: ["AGE", 1, null, "2 (AGE ago)"] }] },
  },
  {
    name: "descriptions of columns, but not of objects",
    body: { columnDefinitions: [{ name: "A", description: "x" }], description: "mine" },
    expect: { columnDefinitions: [{ name: "A" }], description: "mine" },
  },
  {
    name: "descriptions in OpenAPI, but not a property of that name",
    body: { openapi: "3.0.0", a: { description: "x", properties: { description: { type: "string", description: "y" } } } },
    expect: { a: { properties: { description: { type: "string" } } }, openapi: "3.0.0" },
  },
  {
    name: "the order of several causes, and the message that repeats it",
    body: { kind: "Status", message: "b, a", details: { causes: [{ field: "b" }, { field: "a" }] } },
    expect: { kind: "Status", message: "SEVERAL", details: { causes: [{ field: "a" }, { field: "b" }] } },
  },
  {
    name: "an explanation of a conflict",
    body: { kind: "Status", reason: "Conflict", message: "m", details: { name: "x", causes: [{ reason: "StatusChange" }, {}] } },
    expect: { kind: "Status", reason: "Conflict", message: "m", details: { name: "x" } },
  },
  {
    name: "not the causes of a field manager's conflict",
    body: { kind: "Status", reason: "Conflict", details: { causes: [{ reason: "FieldManagerConflict" }] } },
    expect: { kind: "Status", reason: "Conflict", details: { causes: [{ reason: "FieldManagerConflict" }] } },
  },
  { name: "each line of a watch", body: '{"a":1}\n{"a":2}\n', expect: [{ a: 1 }, { a: 2 }] },
  { name: "a text that is no JSON", body: "in ns-1\n", expect: "in NS\n" },
];
for (const { name, body, expect } of cases) {
  test(`normalises ${name}`, () => assert.deepEqual(bodyOf(body), expect));
}

test("ordinals go on from answer to answer", () => {
  const normaliser = new Normaliser("ns-1");
  normaliser.answer({ name: "first" }, raw([uid]));
  assert.deepEqual(normaliser.answer({ name: "second" }, raw([uid.replace("0b", "0c"), uid])).body, ["uid#2", "uid#1"]);
});

test("keeps the parts that are named, by lengths too", () => {
  const body = { metadata: { name: "abc" }, items: [{ a: 1 }, { a: 2 }], none: null };
  const keep = ["metadata.name.length", "items.length", "items.1.a", "none.at", "absent"];
  assert.deepEqual(bodyOf(body, keep), { "metadata.name.length": 3, "items.length": 2, "items.1.a": 2, "none.at": null });
});

test("managed fields of one operation are in the order of managers, those of another stay behind or before them", () => {
  assert.deepEqual(managers(entry("b", "Apply"), entry("c"), entry("a")), ["b", "a", "c"]);
  assert.deepEqual(managers(entry("b"), entry("a", "Apply")), ["b", "a"]);
});

test("of bookmarks that follow each other the first counts, and its version does not", () => {
  const bookmark = (version: string, annotations?: object) => ({ type: "BOOKMARK", object: { metadata: { ...v(version), annotations } } });
  const events = [{ type: "ADDED", object: {} }, bookmark("7", { end: "true" }), bookmark("9")];
  assert.deepEqual(bodyOf(events.map((event) => JSON.stringify(event)).join("\n")), [
    { type: "ADDED", object: {} },
    { type: "BOOKMARK", object: { metadata: { ...v("BOOKMARK"), annotations: { end: "true" } } } },
  ]);
});

test("content types are compared without their charset", () => {
  assert.equal(new Normaliser("n").answer({ name: "s" }, raw("x", "text/plain;charset=UTF-8")).type, "text/plain");
});

function v(resourceVersion: string) {
  return { resourceVersion };
}

function of(uid: string, resourceVersion: string) {
  return { resourceVersion, uid };
}
