import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import { hasFinalizer, isBeingDeleted, withFinalizer, withoutFinalizer } from "./finalizers.ts";

const object = (...finalizers: string[]): KubeObject => ({ metadata: { name: "x", finalizers } });

test("adds a finalizer once, after those of others", () => {
  const added = withFinalizer(object("a.example/x"), "b.example/y");
  assert.deepEqual(added.metadata?.finalizers, ["a.example/x", "b.example/y"]);
  assert.equal(withFinalizer(added, "b.example/y"), added);
  assert.deepEqual(withFinalizer<KubeObject>({}, "b.example/y").metadata?.finalizers, ["b.example/y"]);
});

test("takes only its own away", () => {
  const given = object("a.example/x", "b.example/y");
  const taken = withoutFinalizer(given, "a.example/x");
  assert.deepEqual([taken.metadata?.finalizers, given.metadata?.finalizers?.length], [["b.example/y"], 2]);
  assert.equal(withoutFinalizer(taken, "a.example/x"), taken);
  assert.deepEqual([hasFinalizer(given, "a.example/x"), hasFinalizer(taken, "a.example/x"), hasFinalizer({}, "a")], [true, false, false]);
});

test("returns what is being deleted", () => {
  assert.deepEqual([isBeingDeleted(object()), isBeingDeleted({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } })], [false, true]);
});
