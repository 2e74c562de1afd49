import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "../../framework/pod-info.ts";
import { nodeNamed, nodeWith, podWith, scores, statuses, wakes } from "../plugin-under-test.ts";
import { nodeResourcesFit } from "./fit.ts";

const asking = (requests: Record<string, string>): Pod => podWith({ containers: [{ name: "main", resources: { requests } }] });

/** 2 CPU and 2 GiB are left of 4 and 8, and 10 GiB of storage, and one GPU of two. */
const half = nodeWith("n", { allocatable: { "ephemeral-storage": "20Gi", "example.com/gpu": "2" } }, [
  asking({ cpu: "2", memory: "6Gi", "ephemeral-storage": "10Gi", "example.com/gpu": "1" }),
]);

const cases = [
  { name: "exactly what is free", requests: { cpu: "2", memory: "2Gi", "ephemeral-storage": "10Gi", "example.com/gpu": "1" }, expect: "" },
  { name: "nothing", requests: {}, expect: "" },
  { name: "1m more CPU than is free", requests: { cpu: "2001m" }, expect: "Insufficient cpu" },
  { name: "more CPU than is allocatable", requests: { cpu: "5" }, expect: "!Insufficient cpu" },
  { name: "one byte more memory than is free", requests: { memory: "2147483649" }, expect: "Insufficient memory" },
  { name: "too much CPU and too much memory", requests: { cpu: "3", memory: "3Gi" }, expect: "Insufficient cpu; Insufficient memory" },
  {
    name: "more of one resource than is free and of another than is allocatable",
    requests: { cpu: "3", memory: "9Gi" },
    expect: "!Insufficient cpu; Insufficient memory",
  },
  { name: "more ephemeral storage than is free", requests: { "ephemeral-storage": "11Gi" }, expect: "Insufficient ephemeral-storage" },
  { name: "more of an extended resource than is free", requests: { "example.com/gpu": "2" }, expect: "Insufficient example.com/gpu" },
  { name: "an extended resource that the node lacks", requests: { "example.com/fpga": "1" }, expect: "!Insufficient example.com/fpga" },
  { name: "0 of an extended resource that the node lacks", requests: { "example.com/fpga": "0" }, expect: "" },
];
for (const { name, requests, expect } of cases)
  test(`a Pod that requests ${name}: ${expect === "" ? "the node is feasible" : expect}`, () =>
    assert.deepEqual(statuses(nodeResourcesFit, { nodes: [half] }, asking(requests)), { n: expect }));

test("a node with as many Pods as are allocatable rejects one that requests nothing", () => {
  const full = nodeWith("n", { allocatable: { pods: "1" } }, [podWith()]);
  assert.deepEqual(statuses(nodeResourcesFit, { nodes: [full] }, podWith()), { n: "Too many pods" });
  assert.deepEqual(statuses(nodeResourcesFit, { nodes: [full] }, asking({ cpu: "5" })), { n: "!Too many pods; Insufficient cpu" });
});

const ignoring: readonly { args: Record<string, unknown>; expect: string }[] = [
  { args: { ignoredResources: ["example.com/fpga"] }, expect: "" },
  { args: { ignoredResourceGroups: ["example.com"] }, expect: "" },
  { args: { ignoredResourceGroups: ["example.org"] }, expect: "!Insufficient example.com/fpga" },
];
for (const { args, expect } of ignoring)
  test(`${JSON.stringify(args)} : example.com/fpga is ${expect === "" ? "ignored" : "checked"}`, () =>
    assert.deepEqual(statuses(nodeResourcesFit, { nodes: [half], args }, asking({ "example.com/fpga": "1" })), { n: expect }));

const shape = [
  { utilization: 0, score: 0 },
  { utilization: 50, score: 10 },
  { utilization: 100, score: 2 },
];
const gpu = [{ name: "example.com/gpu", weight: 3 }, { name: "cpu" }];
// The Pod asks for 1 CPU and 1 GiB: 3 of 4 CPUs and 7 of 8 GiB would be taken on `half`, 1 and 1 on `empty`.
const empty = nodeWith("empty");
const strategies: readonly { name: string; scoringStrategy?: object; pod?: Pod; expect: readonly number[] }[] = [
  { name: "LeastAllocated: the mean of 25 and 12, of 75 and 87", expect: [18, 81] },
  { name: "containers without requests count as 100m and 200 MiB", pod: podWith(), expect: [34, 97] },
  { name: "MostAllocated", scoringStrategy: { type: "MostAllocated" }, expect: [81, 18] },
  {
    name: "LeastAllocated with weights",
    scoringStrategy: { type: "LeastAllocated", resources: [{ name: "cpu", weight: 3 }, { name: "memory" }] },
    expect: [21, 78],
  },
  // 75 %: 100 - 80 × 25/50; 87 %: 100 - 80 × 37/50; 25 %: 50; 12 %: 24
  {
    name: "RequestedToCapacityRatio by its shape",
    scoringStrategy: { type: "RequestedToCapacityRatio", requestedToCapacityRatio: { shape } },
    expect: [51, 37],
  },
  {
    name: "a resource that the Pod does not request is not counted",
    scoringStrategy: { type: "MostAllocated", resources: gpu },
    expect: [75, 25],
  },
  {
    name: "a resource that the node lacks is not counted",
    scoringStrategy: { type: "MostAllocated", resources: gpu },
    pod: asking({ cpu: "1", "example.com/gpu": "1" }),
    expect: [93, 25],
  },
];
for (const { name, scoringStrategy, pod = asking({ cpu: "1", memory: "1Gi" }), expect } of strategies)
  test(`Score: ${name}`, () => {
    const args = scoringStrategy === undefined ? {} : { scoringStrategy };
    assert.deepEqual(scores(nodeResourcesFit, { nodes: [half, empty], args }, pod), expect);
  });

const wrong: readonly { args: Record<string, unknown>; message: string }[] = [
  {
    args: { scoringStrategy: { type: "Best" } },
    message:
      'scoringStrategy.type: Unsupported value: "Best": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"',
  },
  {
    args: { ignoredResourceGroups: ["a/b"] },
    message: "ignoredResourceGroups[0]: Invalid value: \"a/b\": resource group name can't contain '/'",
  },
  {
    args: { scoringStrategy: { type: "LeastAllocated", resources: [{ name: "cpu", weight: 101 }] } },
    message: "scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]",
  },
  {
    args: { scoringStrategy: { type: "RequestedToCapacityRatio" } },
    message: "scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is RequestedToCapacityRatio",
  },
  {
    args: { scoringStrategy: { type: "RequestedToCapacityRatio", requestedToCapacityRatio: { shape: [shape[1], shape[0]] } } },
    message: "scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 0: values must be sorted in increasing order",
  },
];
for (const { args, message } of wrong)
  test(`New rejects the arguments ${JSON.stringify(args)}`, () =>
    assert.throws(() => scores(nodeResourcesFit, { nodes: [], args }, podWith()), { message }));

const small = nodeNamed("n", { allocatable: { cpu: "1" } });
const large = nodeNamed("n", { allocatable: { cpu: "4" } });
const scheduled = (pod: Pod): Pod => ({ ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: "n" } });
const events = [
  { name: "a node with enough CPU is added", what: ["Node", "add"], after: large, expect: true },
  { name: "a node with too little CPU is added", what: ["Node", "add"], after: small, expect: false },
  { name: "the allocatable CPU of a node rises to enough", what: ["Node", "updateAllocatable"], before: small, after: large, expect: true },
  { name: "a node that had enough CPU before is updated", what: ["Node", "updateAllocatable"], before: large, after: large, expect: false },
  { name: "a Pod that requests CPU is deleted", what: ["AssignedPod", "delete"], before: scheduled(asking({ cpu: "1" })), expect: true },
  {
    name: "the CPU request of a Pod falls",
    what: ["AssignedPod", "updateRequests"],
    before: scheduled(asking({ cpu: "2" })),
    after: scheduled(asking({ cpu: "1" })),
    expect: true,
  },
  {
    name: "the memory request of a Pod falls",
    what: ["AssignedPod", "updateRequests"],
    before: scheduled(asking({ memory: "2" })),
    after: scheduled(asking({ memory: "1" })),
    expect: false,
  },
] as const;
for (const { name, expect, ...event } of events)
  test(`${name}: ${expect ? "a Pod that requests CPU is requeued" : "a Pod that requests CPU stays unschedulable"}`, () =>
    assert.equal(wakes(nodeResourcesFit, {}, { pod: asking({ cpu: "2" }), ...event }), expect));
