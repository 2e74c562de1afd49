import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict, type KubeObject } from "@coxswain/machinery";
import { classicDone } from "./race-plan.ts";
import { afterChange, afterExchange, beginRace, type Exchange, type RaceState } from "./race-state.ts";

const map = (version: string, data: object): KubeObject =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seat", resourceVersion: version }, data }) as KubeObject;

const time = "2026-01-01T12:00:00.000Z";
const path = "/api/v1/namespaces/default/configmaps/seat";
const exchange = (actor: string, method: string, code: number, answer: unknown): Exchange => ({
  ...{ actor, code, answer, time, isComponent: false },
  request: { method, path },
});
const free = map("1", { bookedBy: "", price: "1" });
const anns = map("2", { bookedBy: "Ann", price: "1" });
const begun = beginRace(free, { actor: "setup", time });
const play = (...moves: readonly (readonly [Exchange, KubeObject | undefined])[]): RaceState =>
  moves.reduce((state, [made, after]) => afterExchange(state, made, after), begun);

test("a read makes a copy, a write makes a version and a new copy, and the others' copies stay as they were", () => {
  const state = play(
    [exchange("Ann", "GET", 200, free), free],
    [exchange("Bob", "GET", 200, free), free],
    [exchange("Ann", "PUT", 200, anns), anns],
  );
  assert.deepEqual(
    state.steps.map(({ number, summary }) => `${number} ${summary}`),
    ["1 Ann reads version 1", "2 Bob reads version 1", "3 Ann writes it: version 2"],
  );
  assert.deepEqual(
    [...state.copies].map(([name, { resourceVersion }]) => `${name} ${resourceVersion}`),
    ["Ann 2", "Bob 1"],
  );
  assert.deepEqual(
    state.versions.map(({ resourceVersion, actor, step }) => [resourceVersion, actor, step]),
    [
      ["1", "setup", undefined],
      ["2", "Ann", 3],
    ],
  );
});

test("a refusal changes nothing, and is explained with what the message does not say", () => {
  const { status } = conflict({ group: "", resource: "configmaps" }, "seat", "it changed");
  const causes = [
    { reason: "OverlappingChange", field: ".data.bookedBy", message: "changed by Ann" },
    { reason: "FieldManagerConflict", field: ".data", message: "it changed" },
  ];
  const answer = { ...status, message: "it changed, .data", details: { causes } };
  const state = play([exchange("Bob", "GET", 200, free), free], [exchange("Bob", "PUT", 409, answer), anns]);
  const step = state.steps.at(-1);
  assert.equal(step?.summary, "Bob is refused: 409 Conflict");
  assert.deepEqual(step?.explanation, ["it changed, .data", ".data.bookedBy: changed by Ann"]);
  assert.equal(state.copies.get("Bob")?.resourceVersion, "1");
});

const overwritten = map("3", { bookedBy: "Bob", price: "1" });
const lost = [
  {
    name: "a write of an old copy loses what came between",
    before: anns,
    after: overwritten,
    isComponent: false,
    expect: [".data.bookedBy"],
  },
  {
    name: "what another set and still is is not lost",
    before: anns,
    after: map("3", { bookedBy: "Ann", price: "2" }),
    isComponent: false,
    expect: [],
  },
  { name: "who has the newest version loses nothing", before: free, after: overwritten, isComponent: false, expect: [] },
  { name: "components mean it", before: anns, after: overwritten, isComponent: true, expect: [] },
];
for (const { name, before, after, isComponent, expect } of lost)
  test(name, () => {
    const read = afterExchange(begun, exchange("Bob", "GET", 200, free), free);
    const state = afterExchange(
      afterChange(read, before, { actor: "Ann", time }),
      { ...exchange("Bob", "PUT", 200, after), isComponent },
      after,
    );
    assert.deepEqual(state.steps.at(-1)?.lost, expect);
  });

test("a write that changes nothing, another object, and a deletion are told apart", () => {
  const other = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other", resourceVersion: "9" } };
  const state = play(
    [exchange("Ann", "PUT", 200, free), free],
    [exchange("Ann", "POST", 201, other), free],
    [exchange("Ann", "DELETE", 200, free), undefined],
    [exchange("Ann", "POST", 201, anns), anns],
  );
  assert.deepEqual(
    state.steps.map(({ summary }) => summary),
    [
      "Ann writes it, and nothing changes: it is still version 1",
      "Ann creates ConfigMap other",
      "Ann deletes it",
      "Ann creates it again: version 2",
    ],
  );
  assert.deepEqual(
    state.versions.map(({ resourceVersion, isDeletion = false }) => [resourceVersion, isDeletion]),
    [
      ["1", false],
      ["1", true],
      ["2", false],
    ],
  );
});

test("what changed the object without a step is a version, once", () => {
  const by = { actor: "server", time };
  const once = afterChange(begun, anns, by);
  assert.deepEqual(afterChange(once, anns, by).versions, once.versions);
  assert.equal(once.versions.at(-1)?.step, undefined);
  const gone = afterChange(once, undefined, by);
  assert.deepEqual(afterChange(gone, undefined, by).versions, gone.versions);
});

test("the classic order is followed until something else is done", () => {
  const classic = ["a", "b", "a"];
  assert.equal(classicDone(classic, []), 0);
  assert.equal(classicDone(classic, ["a", "b"]), 2);
  assert.equal(classicDone(classic, ["b"]), undefined);
  assert.equal(classicDone(classic, [...classic, "a"]), undefined);
});
