import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, updatedAs } from "../../kind-under-test.ts";
import { storageClass } from "./strategy.ts";

const term = (...values: string[]) => ({ matchLabelExpressions: [{ key: "zone", values }] });
const duplicate = (i: number) => `allowedTopologies[${i}].matchLabelExpressions: Duplicate value: ""`;

const topologies = [
  { name: "terms differ", terms: [term("a"), term("b")], expect: [] },
  { name: "values of terms have no order", terms: [term("a", "b"), term("b", "a")], expect: [duplicate(1)] },
  { name: "an empty term is equal to as many as there are", terms: [{}, term("a")], expect: [duplicate(0), duplicate(0)] },
];
for (const { name, terms, expect } of topologies)
  test(name, () => assert.deepEqual(createdAs(storageClass, { provisioner: "p", allowedTopologies: terms }).problems, expect));

test("parameters stay, and are shown in the order of their names", () => {
  const prev = createdAs(storageClass, { provisioner: "p" }).object;
  assert.deepEqual(updatedAs(storageClass, prev, { provisioner: "p", parameters: { b: "1", a: "2" } }).problems, [
    'parameters: Invalid value: {"a":"2","b":"1"}: field is immutable',
  ]);
});
