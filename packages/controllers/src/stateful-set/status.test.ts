import assert from "node:assert/strict";
import { test } from "node:test";
import { observedUnderTest, setUnderTest } from "./set-under-test.ts";
import { nextStatus } from "./status.ts";

const before = { observedGeneration: 1, currentRevision: "web-old", updateRevision: "web-new", collisionCount: 0 };

const cases = [
  {
    name: "counts what is there, ready, available and of which revision",
    pods: ["web-0 old", "web-1 fresh", "web-2 pending"],
    expect: { ...before, replicas: 3, readyReplicas: 2, availableReplicas: 1, currentReplicas: 1, updatedReplicas: 2 },
  },
  {
    name: "what goes is there, and of no revision",
    pods: ["web-0 old going", "web-1"],
    expect: { ...before, replicas: 2, readyReplicas: 2, availableReplicas: 2, currentReplicas: 0, updatedReplicas: 1 },
  },
  {
    name: "what was just deleted for the update counts no more",
    pods: ["web-0 old", "web-1 old", "web-2 old"],
    replaced: 1,
    expect: { ...before, replicas: 3, readyReplicas: 3, availableReplicas: 3, currentReplicas: 2, updatedReplicas: 0 },
  },
  {
    name: "when all are of the new revision and ready, it is the current one",
    pods: ["web-0", "web-1", "web-2"],
    expect: {
      ...before,
      currentRevision: "web-new",
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
    },
  },
];

for (const { name, pods, replaced = 0, expect } of cases)
  test(name, () => assert.deepEqual(nextStatus(observedUnderTest(setUnderTest({ minReadySeconds: 5 }), pods), replaced), expect));

test("a status that is right is not written again", () => {
  const observed = observedUnderTest(setUnderTest(), ["web-0", "web-1 old"]);
  const status = nextStatus(observed, 0);
  assert.ok(status !== undefined);
  assert.equal(nextStatus({ ...observed, set: { ...observed.set, status } }, 0), undefined);
});
