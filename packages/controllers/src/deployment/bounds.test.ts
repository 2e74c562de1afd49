import assert from "node:assert/strict";
import { test } from "node:test";
import { maxSurge, maxUnavailable } from "./bounds.ts";
import { deploymentUnderTest } from "./rollout-under-test.ts";

type Bound = number | string;

const cases: readonly [
  replicas: number,
  surge: Bound,
  unavailable: Bound,
  expect: readonly [surge: number, unavailable: number],
  why: string,
][] = [
  [10, 3, 2, [3, 2], "numbers stand as they are"],
  [10, "25%", "25%", [3, 2], "a surge is rounded up, what may be missing down"],
  [1, "25%", "25%", [1, 0], "one Pod has one beside it before it goes"],
  [2, 0, "1%", [0, 1], "if both come to nothing, one may be missing"],
  [3, 0, 5, [0, 3], "no more can be missing than are wanted"],
  [0, "25%", 1, [0, 0], "of none, none can be missing"],
];
for (const [replicas, surge, unavailable, expect, why] of cases)
  test(`${why}: ${surge} and ${unavailable} of ${replicas}`, () => {
    const deployment = deploymentUnderTest({ replicas, maxSurge: surge, maxUnavailable: unavailable });
    assert.deepEqual([maxSurge(deployment), maxUnavailable(deployment)], expect);
  });

test("where all Pods are replaced at once there are no bounds", () => {
  const deployment = deploymentUnderTest({ strategy: "Recreate" });
  assert.deepEqual([maxSurge(deployment), maxUnavailable(deployment)], [0, 0]);
});
