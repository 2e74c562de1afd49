import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import { fieldOwners, ownershipChanges } from "./field-owners.ts";

const owned = (owners: Record<string, object>): KubeObject => ({
  metadata: { managedFields: Object.entries(owners).map(([manager, fieldsV1]) => ({ manager, fieldsV1 })) as never },
});

test("fields, items by their keys and items by their values stand as messages write them", () => {
  const object = owned({
    a: {
      "f:spec": { "f:replicas": {}, "f:containers": { 'k:{"name":"web"}': { ".": {}, "f:image": {} } } },
      "f:metadata": { "f:labels": { "f:app.kubernetes.io/name": {} }, "f:finalizers": { 'v:"x"': {} } },
    },
    b: { "f:spec": { "f:replicas": {} } },
  });
  assert.deepEqual(
    fieldOwners(object).map(({ field, managers }) => `${field} ${managers.join()}`),
    [
      '.metadata.finalizers["x"] a',
      '.metadata.labels["app.kubernetes.io/name"] a',
      '.spec.containers[name="web"].image a',
      ".spec.replicas a,b",
    ],
  );
});

test("nothing is owned of an object without managed fields", () => assert.deepEqual(fieldOwners({ metadata: {} }), []));

test("only what came to others has changed hands", () => {
  const before = owned({ a: { "f:x": {}, "f:y": {} } });
  const after = owned({ a: { "f:y": {} }, b: { "f:x": {}, "f:z": {} } });
  assert.deepEqual(ownershipChanges(before, after), [
    { field: ".x", from: ["a"], to: ["b"] },
    { field: ".z", from: [], to: ["b"] },
  ]);
});
