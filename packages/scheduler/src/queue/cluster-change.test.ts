import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActionType } from "../framework/cluster-event.ts";
import type { Node } from "../framework/node-info.ts";
import type { Pod } from "../framework/pod-info.ts";
import { isOf, labelOf, nodeActions, podActions } from "./cluster-change.ts";

const node: Node = {
  metadata: { name: "n", labels: { a: "b" } },
  spec: { unschedulable: true },
  status: { allocatable: { cpu: "1" }, conditions: [{ type: "Ready", status: "True", reason: "x" }] },
};

const nodeCases: readonly { readonly name: string; readonly after: Node; readonly expect: readonly ActionType[] }[] = [
  {
    name: "a heartbeat",
    after: { ...node, status: { ...node.status, conditions: [{ type: "Ready", status: "True", reason: "y" }] } },
    expect: [],
  },
  { name: "more room", after: { ...node, status: { ...node.status, allocatable: { cpu: "2" } } }, expect: ["updateAllocatable"] },
  { name: "other labels", after: { ...node, metadata: { name: "n" } }, expect: ["updateLabels"] },
  { name: "an uncordon", after: { ...node, spec: {} }, expect: ["updateTaints"] },
  { name: "a taint", after: { ...node, spec: { ...node.spec, taints: [{ key: "k", effect: "NoSchedule" }] } }, expect: ["updateTaints"] },
  {
    name: "an end of readiness",
    after: { ...node, status: { ...node.status, conditions: [{ type: "Ready", status: "False" }] } },
    expect: ["updateConditions"],
  },
];
for (const { name, after, expect } of nodeCases) test(`of a Node: ${name}`, () => assert.deepEqual(nodeActions(node, after), expect));

const pod = (cpu: string, more: Partial<NonNullable<Pod["spec"]>> = {}, labels = {}): Pod => ({
  metadata: { name: "p", labels },
  spec: { containers: [{ name: "c", resources: { requests: { cpu } } }], ...more },
});

const podCases: readonly { readonly name: string; readonly before: Pod; readonly after: Pod; readonly expect: readonly ActionType[] }[] = [
  { name: "nothing that has a name", before: pod("1"), after: { ...pod("1"), status: { phase: "Pending" } }, expect: ["update"] },
  { name: "less asked for", before: pod("1"), after: pod("500m"), expect: ["updateRequests"] },
  { name: "more asked for", before: pod("1"), after: pod("2"), expect: ["update"] },
  { name: "labels", before: pod("1"), after: pod("1", {}, { a: "b" }), expect: ["updateLabels"] },
  { name: "the last gate", before: pod("1", { schedulingGates: [{ name: "g" }] }), after: pod("1"), expect: ["updateGates"] },
  {
    name: "one gate of two",
    before: pod("1", { schedulingGates: [{ name: "g" }, { name: "h" }] }),
    after: pod("1", { schedulingGates: [{ name: "g" }] }),
    expect: ["update"],
  },
  { name: "a toleration", before: pod("1"), after: pod("1", { tolerations: [{ operator: "Exists" }] }), expect: ["updateTolerations"] },
];
for (const { name, before, after, expect } of podCases)
  test(`of a Pod: ${name}`, () => assert.deepEqual(podActions(before, after), expect));

test("who wants every update wants those with a name; who wants one of them wants no other", () => {
  const change = (action: ActionType) => ({ resource: "Node" as const, action, before: undefined, after: undefined });
  assert.equal(isOf(change("updateLabels"), { resource: "Node", actions: ["update"] }), true);
  assert.equal(isOf(change("update"), { resource: "Node", actions: ["updateLabels"] }), false);
  assert.equal(isOf(change("add"), { resource: "Node", actions: ["update"] }), false);
  assert.equal(isOf(change("add"), { resource: "AssignedPod", actions: ["add"] }), false);
});

test("goes by Kubernetes' names in metrics", () => {
  const label = (resource: Parameters<typeof labelOf>[0]["resource"], action: ActionType) => labelOf({ resource, action });
  assert.deepEqual(
    [
      label("Node", "add"),
      label("Node", "updateLabels"),
      label("Node", "updateTaints"),
      label("AssignedPod", "updateLabels"),
      label("UnscheduledPod", "update"),
    ],
    ["NodeAdd", "NodeUpdateNodeLabel", "NodeUpdateNodeTaint", "AssignedPodUpdatePodLabel", "UnschedulablePodUpdate"],
  );
});
