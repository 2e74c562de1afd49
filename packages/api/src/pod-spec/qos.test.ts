import assert from "node:assert/strict";
import { test } from "node:test";
import { qosClass } from "./qos.ts";

const both = (cpu: string, memory: string) => ({ cpu, memory });
const cases = [
  { name: "asks for nothing", containers: [{}], expect: "BestEffort" },
  { name: "asks for nothing that counts", containers: [{ requests: { "ephemeral-storage": "1Gi" } }], expect: "BestEffort" },
  { name: "asks for zero", containers: [{ requests: { cpu: "0" } }], expect: "BestEffort" },
  { name: "asks for something", containers: [{ requests: { cpu: "1" } }], expect: "Burstable" },
  {
    name: "is limited to what it asks for",
    containers: [{ requests: both("1", "1Gi"), limits: both("1000m", "1024Mi") }],
    expect: "Guaranteed",
  },
  { name: "may use more than it asks for", containers: [{ requests: both("1", "1Gi"), limits: both("2", "1Gi") }], expect: "Burstable" },
  {
    name: "has one container without limits",
    containers: [{ requests: both("1", "1Gi"), limits: both("1", "1Gi") }, {}],
    expect: "Burstable",
  },
];

for (const { name, containers, expect } of cases) {
  test(`${expect}: a pod that ${name}`, () => {
    assert.equal(qosClass({ containers: containers.map((resources, i) => ({ name: `c${i}`, resources })) }), expect);
  });
}

test("what the pod states as a whole counts for all", () => {
  const resources = { requests: both("1", "1Gi"), limits: both("1", "1Gi") };
  assert.equal(qosClass({ containers: [{ name: "c" }], resources }), "Guaranteed");
});
