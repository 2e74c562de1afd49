import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, ObjectMeta } from "@coxswain/machinery";
import type { Change } from "../cache/change.ts";
import { allOf, annotationsChanged, anyOf, generationChanged, labelsChanged, type Predicate } from "./predicates.ts";

const update = (before: ObjectMeta, after: ObjectMeta): Change => {
  const [previous, object]: KubeObject[] = [{ metadata: before }, { metadata: after }];
  return { type: "updated", object: object ?? {}, previous: previous ?? {}, resync: false };
};

const cases: readonly { name: string; predicate: Predicate; before: ObjectMeta; after: ObjectMeta; expect: boolean }[] = [
  { name: "a new generation", predicate: generationChanged, before: { generation: 1 }, after: { generation: 2 }, expect: true },
  {
    name: "the same generation",
    predicate: generationChanged,
    before: { generation: 1 },
    after: { generation: 1, labels: {} },
    expect: false,
  },
  { name: "another label", predicate: labelsChanged, before: { labels: { a: "1" } }, after: { labels: { a: "2" } }, expect: true },
  {
    name: "equal labels",
    predicate: labelsChanged,
    before: { labels: { a: "1", b: "2" } },
    after: { labels: { b: "2", a: "1" } },
    expect: false,
  },
  { name: "another annotation", predicate: annotationsChanged, before: {}, after: { annotations: { a: "2" } }, expect: true },
  { name: "no other annotation", predicate: annotationsChanged, before: {}, after: { labels: { a: "2" } }, expect: false },
  { name: "either", predicate: anyOf(generationChanged, labelsChanged), before: {}, after: { labels: { a: "2" } }, expect: true },
  { name: "not both", predicate: allOf(generationChanged, labelsChanged), before: {}, after: { labels: { a: "2" } }, expect: false },
];
for (const { name, predicate, before, after, expect } of cases)
  test(`${name}: ${expect ? "wakes" : "does not wake"}`, () => assert.equal(predicate(update(before, after)), expect));

test("what comes and what goes always wakes", () => {
  for (const predicate of [generationChanged, labelsChanged, annotationsChanged]) {
    assert.ok(predicate({ type: "added", object: {}, initial: false }));
    assert.ok(predicate({ type: "deleted", object: {}, unseen: false }));
  }
});
