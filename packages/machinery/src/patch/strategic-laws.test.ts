/** What holds for every document and patch. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { deepEqual } from "../values/equal.ts";
import { applyStrategicMergePatch } from "./strategic.ts";
import { frozen, podType } from "./strategic-fixture.test.ts";

const name = fc.constantFrom<string>("a", "b", "c", "d", "e", "constructor");
const text = fc.constantFrom("1", "2", "3");
const named = <T>(fields: Record<string, fc.Arbitrary<T>>): fc.Arbitrary<unknown[]> =>
  fc.uniqueArray(fc.record({ name, ...fields }, { requiredKeys: ["name"] }), { selector: (item) => item.name, maxLength: 5 });
const optional = { requiredKeys: [] };
const env = named({ value: text });
const containers = named<unknown>({ image: text, args: fc.array(text, { maxLength: 2 }), env });
const pod = fc.record(
  {
    metadata: fc.record({ labels: fc.dictionary(name, text), finalizers: fc.uniqueArray(name) }, optional),
    spec: fc.record(
      { containers, nodeName: text, tolerations: fc.array(fc.record({ key: name })), securityContext: fc.dictionary(name, text) },
      optional,
    ),
  },
  optional,
);

test("a patch without directives, applied twice, is applied once", () =>
  fc.assert(
    fc.property(pod, pod, (doc, patch) => {
      const once = applyStrategicMergePatch(frozen(doc), frozen(patch), podType);
      const twice = applyStrategicMergePatch(frozen(once), patch, podType);
      assert.ok(deepEqual(twice, once), `${JSON.stringify(once)} became ${JSON.stringify(twice)}`);
    }),
  ));

test("an object patched with itself stays, as does one patched with nothing", () =>
  fc.assert(
    fc.property(pod, (doc) => {
      assert.ok(deepEqual(applyStrategicMergePatch(frozen(doc), doc, podType), doc));
      assert.ok(deepEqual(applyStrategicMergePatch(doc, {}, podType), doc));
    }),
  ));

test("$patch: replace leaves what the patch says, and nothing else", () =>
  fc.assert(
    fc.property(pod, pod, (doc, { spec = {} }) => {
      const patched = applyStrategicMergePatch({ ...doc, spec: { nodeName: "1" } }, { spec: { $patch: "replace", ...spec } }, podType);
      assert.ok(deepEqual(patched.spec, spec));
    }),
  ));

test("$setElementOrder moves items, and neither adds nor loses any", () =>
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1 }), fc.uniqueArray(name), (items, order) => {
      const patch = { metadata: { "$setElementOrder/finalizers": order } };
      const { metadata } = applyStrategicMergePatch({ metadata: { finalizers: items } }, patch, podType);
      const { finalizers } = metadata as { finalizers: string[] };
      assert.deepEqual(finalizers.toSorted(), items.toSorted());
      const isNamed = (item: string): boolean => order.includes(item);
      assert.deepEqual(
        finalizers.filter(isNamed),
        order.filter((item) => items.includes(item)),
      );
      assert.deepEqual(
        finalizers.filter((item) => !isNamed(item)),
        items.filter((item) => !isNamed(item)),
      );
    }),
  ));

test("lists of objects are ordered like lists of their keys", () =>
  fc.assert(
    fc.property(fc.uniqueArray(name), fc.uniqueArray(name, { minLength: 1 }), (items, patch) => {
      const objects = (keys: readonly string[]): unknown[] => keys.map((key) => ({ name: key }));
      const keyed = applyStrategicMergePatch({ spec: { containers: objects(items) } }, { spec: { containers: objects(patch) } }, podType);
      const plain = applyStrategicMergePatch({ metadata: { finalizers: items } }, { metadata: { finalizers: patch } }, podType);
      assert.deepEqual(
        (keyed.spec as { containers: unknown[] }).containers,
        objects((plain.metadata as { finalizers: string[] }).finalizers),
      );
    }),
  ));
