import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../../framework/pod-info.ts";
import { nodeWith, podWith, scores } from "../plugin-under-test.ts";
import { nodeResourcesBalancedAllocation } from "./balanced-allocation.ts";

const asking = (requests: Record<string, string>): Pod => podWith({ containers: [{ name: "main", resources: { requests } }] });

// Of 4 CPUs and 8 GiB. A balance is 100 less half the difference of the shares; the score 50 + (50 + after - before) / 2.
const empty = nodeWith("empty");
const cpuUsed = nodeWith("cpu used", {}, [asking({ cpu: "2" })]);
const memoryUsed = nodeWith("memory used", {}, [asking({ memory: "4Gi" })]);
const nodes = [empty, cpuUsed, memoryUsed];

const cases = [
  { name: "requests equal shares of CPU and memory", pod: asking({ cpu: "1", memory: "2Gi" }), expect: [75, 75, 75] },
  // 75 after 100, 50 after 75, 100 after 75
  { name: "requests CPU alone", pod: asking({ cpu: "2" }), expect: [62, 62, 87] },
  { name: "requests memory alone", pod: asking({ memory: "4Gi" }), expect: [62, 87, 62] },
  { name: "requests more than is allocatable, which counts as all of it", pod: asking({ cpu: "8" }), expect: [50, 62, 75] },
  { name: "requests nothing", pod: podWith(), expect: "skip" },
];
for (const { name, pod, expect } of cases)
  test(`a Pod that ${name}: ${typeof expect === "string" ? "Score is skipped" : `the nodes score ${expect.join(", ")}`}`, () =>
    assert.deepEqual(scores(nodeResourcesBalancedAllocation, { nodes }, pod), expect));

test("three resources, the score follows from the standard deviation of their shares", () => {
  const args = { resources: [{ name: "cpu" }, { name: "memory" }, { name: "example.com/gpu", weight: 1 }] };
  const node = nodeWith("n", { allocatable: { "example.com/gpu": "4" } });
  // Shares of 1/4, 1/4 and 1: the deviation is 0.3535…, the balance 64 after 100.
  const pod = asking({ cpu: "1", memory: "2Gi", "example.com/gpu": "4" });
  assert.deepEqual(scores(nodeResourcesBalancedAllocation, { nodes: [node], args }, pod), [57]);
});

test("New rejects weights other than 1 and repeated resources", () => {
  const args = { resources: [{ name: "cpu", weight: 2 }, { name: "cpu" }] };
  const message = '[resources[0].weight: Invalid value: 2: must be 1, resources[1].name: Duplicate value: "cpu"]';
  assert.throws(() => scores(nodeResourcesBalancedAllocation, { nodes, args }, podWith()), { message });
});
