import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, updatedAs } from "../../kind-under-test.ts";
import { priorityClass } from "./strategy.ts";

const system = { metadata: { name: "system-node-critical" }, value: 2_000_001_000 };

const created = [
  {
    name: "a user's value has a limit",
    body: { value: 1_000_000_001 },
    expect: "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
  },
  { name: "a system class has its value", body: system, expect: undefined },
  {
    name: "a system class is not the default",
    body: { ...system, globalDefault: true },
    expect:
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: globalDefault of system-node-critical PriorityClass must be false",
  },
];
for (const { name, body, expect } of created)
  test(name, () => assert.deepEqual(createdAs(priorityClass, body).problems, expect ? [expect] : []));

test("an update changes neither value nor policy, and is asked nothing else", () => {
  const prev = createdAs(priorityClass, system).object;
  assert.deepEqual(updatedAs(priorityClass, prev, { ...system, globalDefault: true }).problems, []);
  assert.deepEqual(updatedAs(priorityClass, prev, { ...system, value: 5, preemptionPolicy: "Some" }).problems, [
    "value: Forbidden: may not be changed in an update.",
    'preemptionPolicy: Invalid value: "Some": field is immutable',
  ]);
});
