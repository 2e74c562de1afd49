import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sharing } from "./sharing.ts";

const condition = (type: string, status: string) => ({ type, status });

test("what is alike is taken from the other, at any depth", () => {
  const other = { phase: "Running", conditions: [condition("Ready", "True"), condition("Initialized", "True")] };
  const same = sharing({ phase: "Running", conditions: [condition("Ready", "True"), condition("Initialized", "True")] }, other);
  assert.equal(same, other);
  const changed = sharing({ phase: "Running", conditions: [condition("Ready", "False"), condition("Initialized", "True")] }, other);
  assert.equal(changed.conditions[1], other.conditions[1]);
  assert.equal(changed.conditions[0]?.status, "False");
});

test("what is given says the same as the value, whatever the other is, and nothing is changed", () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(json, json, (value, other) => {
      const [before, otherBefore] = [structuredClone(value), structuredClone(other)];
      assert.deepEqual(sharing(value, other), before);
      assert.deepEqual([value, other], [before, otherBefore]);
    }),
  );
});
