import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, OwnerReference } from "@coxswain/machinery";
import type { Lister } from "../cache/lister.ts";
import { defineResource } from "../contracts/resource-ref.ts";
import { itsController, refTo, type SourceSetting } from "./source.ts";

const deployments = defineResource({ group: "apps", version: "v1", resource: "deployments", kind: "Deployment", namespaced: true });
const nodes = defineResource({ group: "", version: "v1", resource: "nodes", kind: "Node", namespaced: false });
const web: OwnerReference = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "u1", controller: true };

/** A cache that holds one object. */
const holding = (held: KubeObject | undefined): Lister => ({
  size: held === undefined ? 0 : 1,
  get: ({ name }) => (held?.metadata?.name === name ? held : undefined),
  list: () => [],
  byIndex: () => [],
});

const settingWith = (held: KubeObject | undefined): SourceSetting => {
  const main = holding(held);
  return { namespace: undefined, main: () => main, cache: () => assert.fail("it is not needed") };
};

const there: KubeObject = { metadata: { namespace: "default", name: "web", uid: "u1" } };
const ref = { namespace: "default", name: "web" };

const cases = [
  { name: "wakes the controller of what has changed", reference: web, held: there, expect: [ref] },
  { name: "wakes a controller that the cache does not show yet", reference: web, held: undefined, expect: [ref] },
  { name: "whatever its version", reference: { ...web, apiVersion: "apps/v1beta2" }, held: there, expect: [ref] },
  { name: "not one that has the name by now, but another uid", reference: { ...web, uid: "u0" }, held: there, expect: [] },
  { name: "not an owner that does not control it", reference: { ...web, controller: false }, held: there, expect: [] },
  { name: "not one of another kind", reference: { ...web, kind: "StatefulSet" }, held: there, expect: [] },
  { name: "not one of another group", reference: { ...web, apiVersion: "example.com/v1" }, held: there, expect: [] },
];
for (const { name, reference, held, expect } of cases)
  test(name, () => {
    const object = { metadata: { namespace: "default", name: "web-1", ownerReferences: [reference] } };
    assert.deepEqual(itsController(deployments)(object, { type: "added", object, initial: false }, settingWith(held)), expect);
  });

test("an owner without a namespace is found from any", () => {
  const reference = { apiVersion: "v1", kind: "Node", name: "n", uid: "u", controller: true };
  const object = { metadata: { namespace: "default", name: "x", ownerReferences: [reference] } };
  const keys = itsController(nodes)(object, { type: "added", object, initial: false }, settingWith(undefined));
  assert.deepEqual(keys, [{ name: "n" }]);
});

test("what is in no namespace is named without one", () => {
  assert.deepEqual([refTo({ metadata: { name: "n" } }), refTo(there)], [{ name: "n" }, ref]);
});
