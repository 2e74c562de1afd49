import assert from "node:assert/strict";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import { plan, unknownNodes } from "./plan.ts";

interface Shape {
  readonly node?: string;
  readonly phase?: string;
  readonly reason?: string;
  readonly day?: number;
  readonly deleted?: boolean;
}

const pod = (name: string, { node = "n1", phase = "Running", reason, day = 1, deleted = false }: Shape = {}): coreV1.Pod => ({
  metadata: {
    name,
    creationTimestamp: `2026-01-0${day}T00:00:00Z`,
    ...(deleted ? { deletionTimestamp: "2026-01-09T00:00:00Z" } : {}),
  },
  spec: { nodeName: node, containers: [] },
  status: { phase, ...(reason === undefined ? {} : { reason }) },
});
const outOfService = { key: "node.kubernetes.io/out-of-service", effect: "NoExecute" };
const nodes = new Map<string, coreV1.Node>([
  ["n1", {}],
  ["down", { spec: { taints: [outOfService] } }],
  ["up", { spec: { taints: [outOfService] }, status: { conditions: [{ type: "Ready", status: "True" }] } }],
]);

const cases: { name: string; pods: coreV1.Pod[]; threshold?: number; gone?: string[]; expect: string[] }[] = [
  { name: "nothing to do", pods: [pod("a"), pod("b", { phase: "Succeeded" })], expect: [] },
  {
    name: "of those that have ended the evicted and the oldest go",
    pods: [
      pod("new", { phase: "Failed", day: 3 }),
      pod("old", { phase: "Succeeded" }),
      pod("out", { phase: "Failed", reason: "Evicted", day: 4 }),
    ],
    threshold: 1,
    expect: ["out terminated", "old terminated"],
  },
  {
    name: "a threshold of 0 keeps them all",
    pods: [pod("old", { phase: "Succeeded" })],
    threshold: 0,
    expect: [],
  },
  { name: "its Node has gone", pods: [pod("a", { node: "lost" }), pod("b")], gone: ["lost"], expect: ["a orphaned"] },
  { name: "its Node may have gone", pods: [pod("a", { node: "lost" })], expect: [] },
  { name: "it was never scheduled", pods: [pod("a", { node: "", deleted: true }), pod("b", { node: "" })], expect: ["a unscheduled"] },
  {
    name: "its Node is out of service",
    pods: [pod("a", { node: "down", deleted: true }), pod("b", { node: "down" }), pod("c", { node: "up", deleted: true })],
    expect: ["a out-of-service"],
  },
];

for (const { name, pods, threshold = 12_500, gone = [], expect } of cases)
  test(name, () => {
    const planned = plan({ pods, nodes, goneNodes: new Set(gone), terminatedThreshold: threshold });
    assert.deepEqual(
      planned.map(({ pod: { metadata }, reason }) => `${metadata?.name} ${reason}`),
      expect,
    );
  });

test("Nodes that Pods name and the cache does not have are unknown", () => {
  assert.deepEqual([...unknownNodes([pod("a"), pod("b", { node: "lost" }), pod("c", { node: "" })], nodes)], ["lost"]);
});
