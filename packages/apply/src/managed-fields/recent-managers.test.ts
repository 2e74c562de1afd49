import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsAt } from "../field-path/field-set.ts";
import type { FieldManager } from "./managed-fields.ts";
import { sharedManager } from "./recent-managers.ts";

const entry = (data: string, more: Partial<FieldManager> = {}): FieldManager => ({
  manager: "writer",
  operation: "Update",
  apiVersion: "v1",
  subresource: "",
  time: "2026-01-01T00:00:00Z",
  fields: fieldsAt(["data", data]),
  ...more,
});

test("the same entry is found again, and other fields make another one", () => {
  const schema = {};
  const first = sharedManager(entry("a"), schema);
  assert.equal(sharedManager(entry("a"), schema), first);
  const other = sharedManager(entry("b"), schema);
  assert.notEqual(other, first);
  assert.equal(sharedManager(entry("a"), schema), first);
  assert.notEqual(sharedManager(entry("a"), {}), first);
});

const differences: readonly Partial<FieldManager>[] = [
  { manager: "another" },
  { operation: "Apply" },
  { apiVersion: "v2" },
  { subresource: "status" },
  { time: "2026-01-01T00:00:01Z" },
  { time: undefined },
  { suits: {} },
];
for (const difference of differences)
  test(`an entry with other ${Object.keys(difference)} shares the set alone`, () => {
    const schema = {};
    const { fields } = sharedManager(entry("a"), schema);
    const shared = sharedManager(entry("a", difference), schema);
    assert.deepEqual(shared, { ...entry("a", difference), fields });
    assert.equal(shared.fields, fields);
  });

test("only some are kept: those found last", () => {
  const schema = {};
  const first = sharedManager(entry("0"), schema);
  const second = sharedManager(entry("1"), schema);
  for (let i = 2; i < 8; i++) sharedManager(entry(String(i)), schema);
  assert.equal(sharedManager(entry("0"), schema), first);
  sharedManager(entry("8"), schema);
  assert.equal(sharedManager(entry("0"), schema), first);
  assert.notEqual(sharedManager(entry("1"), schema), second);
});
