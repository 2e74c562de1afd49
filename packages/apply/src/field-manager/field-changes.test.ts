import assert from "node:assert/strict";
import { test } from "node:test";
import { deepEqual } from "@coxswain/machinery";
import fc from "fast-check";
import { excluding, including, leaves } from "../field-path/field-filter.ts";
import { fieldsAt } from "../field-path/field-set.ts";
import { formatPath } from "../field-path/format-path.ts";
import { fieldElement, keyElement } from "../field-path/path-element.ts";
import { thing, thingType } from "./apply-fixture.test.ts";
import { concerns, fieldChanges, valueAt } from "./field-changes.ts";

type Parts = Readonly<Record<string, unknown>>;
const changesOf = (before: Parts, after: Parts, most?: number): string[] =>
  fieldChanges(thingType, thing(before), thing(after), most).map(({ kind, path }) => `${kind} ${formatPath(path)}`);
const containers = (...items: unknown[]) => ({ spec: { containers: items } });

const cases: readonly { name: string; before: Parts; after: Parts; expect: readonly string[] }[] = [
  { name: "nothing", before: { spec: { replicas: 1 } }, after: { spec: { replicas: 1 } }, expect: [] },
  { name: "a leaf", before: { spec: { replicas: 1 } }, after: { spec: { replicas: 2 } }, expect: ["changed .spec.replicas"] },
  { name: "a new map is its entries", before: {}, after: { data: { a: "1", b: "2" } }, expect: ["added .data.a", "added .data.b"] },
  { name: "an empty map is itself", before: {}, after: { data: {} }, expect: ["added .data"] },
  {
    name: "an item that comes is one change, one that goes another",
    before: containers({ name: "a", image: "1" }),
    after: containers({ name: "b", image: "1" }),
    expect: ['added .spec.containers[name="b"]', 'removed .spec.containers[name="a"]'],
  },
  {
    name: "what changes in an item is named by its key, with defaults",
    before: containers({ name: "a", ports: [{ port: 80 }] }),
    after: containers({ name: "a", ports: [{ port: 80, protocol: "TCP", label: "x" }] }),
    expect: [
      'added .spec.containers[name="a"].ports[port=80,protocol="TCP"].label',
      'added .spec.containers[name="a"].ports[port=80,protocol="TCP"].protocol',
    ],
  },
  {
    name: "items of a set are their own names",
    before: { metadata: { finalizers: ["a"] } },
    after: { metadata: { finalizers: ["a", "b"] } },
    expect: ['added .metadata.finalizers[="b"]'],
  },
  {
    name: "what is atomic changes as a whole",
    before: { spec: { args: ["a"], selector: { matchLabels: { a: "b" } } } },
    after: { spec: { args: ["b"], selector: { matchLabels: { a: "c" } } } },
    expect: ["changed .spec.args", "changed .spec.selector"],
  },
  {
    name: "what no manager can own is not listed",
    before: { metadata: { resourceVersion: "1", managedFields: [] } },
    after: { metadata: { resourceVersion: "2", uid: "u" } },
    expect: [],
  },
];
for (const { name, before, after, expect } of cases)
  test(name, () => assert.deepEqual(changesOf(before, after).sort(), [...expect].sort()));

test("no more changes are listed than asked for", () => {
  assert.equal(changesOf({}, { data: { a: "1", b: "1", c: "1" } }, 2).length, 2);
});

const label = fc.constantFrom("a", "b", "c");
const parts = fc.record(
  {
    data: fc.dictionary(label, label),
    spec: fc.record(
      {
        replicas: fc.nat(2),
        args: fc.array(label, { maxLength: 2 }),
        containers: fc.uniqueArray(
          fc.record({
            name: label,
            image: label,
            ports: fc.uniqueArray(fc.record({ port: fc.nat(2), label }), { selector: ({ port }) => port }),
          }),
          { selector: ({ name }) => name },
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

test("a field is listed exactly when what is at its path differs", () => {
  fc.assert(
    fc.property(parts, parts, (before, after) => {
      const [left, right] = [thing(before), thing(after)];
      const changes = fieldChanges(thingType, left, right);
      for (const { kind, path } of changes) {
        const [was, is] = [valueAt(thingType, left, path), valueAt(thingType, right, path)];
        assert.ok(!deepEqual(was, is), formatPath(path));
        assert.deepEqual([was === undefined, is === undefined], [kind === "added", kind === "removed"], formatPath(path));
      }
      const listed = new Set(changes.map(({ path }) => formatPath(path)));
      for (const path of [["spec", "replicas"], ...["a", "b", "c"].map((key) => ["data", key])].map((names) => names.map(fieldElement))) {
        const same = deepEqual(valueAt(thingType, left, path), valueAt(thingType, right, path));
        assert.equal(listed.has(formatPath(path)), !same, formatPath(path));
      }
    }),
    { numRuns: 200, seed: 6 },
  );
});

test("a filter leaves a field, or something in it, or nothing", () => {
  const image = ["spec", "containers"].map(fieldElement);
  assert.ok(leaves(excluding(["status"]), image));
  assert.ok(!leaves(excluding(["spec"]), image));
  assert.ok(!leaves(including(["status"]), image));
});

test("a set concerns its paths, those in them, and those around", () => {
  const item = keyElement([["name", "a"]]);
  const set = fieldsAt(["spec", "containers", item, "image"], ["data"]);
  const at = (...path: (string | typeof item)[]) => path.map((step) => (typeof step === "string" ? fieldElement(step) : step));
  for (const path of [at("spec", "containers", item, "image"), at("spec", "containers", item), at("data", "a")])
    assert.ok(concerns(set, path));
  for (const path of [at("spec", "replicas"), at("spec", "containers", item, "name")]) assert.ok(!concerns(set, path));
});
