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
  { name: "exactly what is left", requests: { cpu: "2", memory: "2Gi", "ephemeral-storage": "10Gi", "example.com/gpu": "1" }, expect: "" },
  { name: "nothing", requests: {}, expect: "" },
  { name: "a little too much CPU", requests: { cpu: "2001m" }, expect: "Insufficient cpu" },
  { name: "more CPU than there ever is", requests: { cpu: "5" }, expect: "!Insufficient cpu" },
  { name: "a byte too much", requests: { memory: "2147483649" }, expect: "Insufficient memory" },
  { name: "too much of two", requests: { cpu: "3", memory: "3Gi" }, expect: "Insufficient cpu; Insufficient memory" },
  {
    name: "too much of one, far too much of another",
    requests: { cpu: "3", memory: "9Gi" },
    expect: "!Insufficient cpu; Insufficient memory",
  },
  { name: "too much storage", requests: { "ephemeral-storage": "11Gi" }, expect: "Insufficient ephemeral-storage" },
  { name: "two GPUs", requests: { "example.com/gpu": "2" }, expect: "Insufficient example.com/gpu" },
  { name: "what the node does not have", requests: { "example.com/fpga": "1" }, expect: "!Insufficient example.com/fpga" },
  { name: "none of what the node does not have", requests: { "example.com/fpga": "0" }, expect: "" },
];
for (const { name, requests, expect } of cases)
  test(`asked for ${name}`, () => assert.deepEqual(statuses(nodeResourcesFit, { nodes: [half] }, asking(requests)), { n: expect }));

test("a node takes so many Pods and no more, whatever they ask for", () => {
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
  test(`${JSON.stringify(args)} leaves ${expect === "" ? "it to others" : "others in force"}`, () =>
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
  { name: "least allocated: the mean of 25 and 12, of 75 and 87", expect: [18, 81] },
  { name: "containers that ask for nothing count as 100m and 200 MiB", pod: podWith(), expect: [34, 97] },
  { name: "most allocated", scoringStrategy: { type: "MostAllocated" }, expect: [81, 18] },
  {
    name: "least, weighted",
    scoringStrategy: { type: "LeastAllocated", resources: [{ name: "cpu", weight: 3 }, { name: "memory" }] },
    expect: [21, 78],
  },
  // 75 %: 100 - 80 × 25/50; 87 %: 100 - 80 × 37/50; 25 %: 50; 12 %: 24
  { name: "by a shape", scoringStrategy: { type: "RequestedToCapacityRatio", requestedToCapacityRatio: { shape } }, expect: [51, 37] },
  { name: "what the Pod does not ask for does not count", scoringStrategy: { type: "MostAllocated", resources: gpu }, expect: [75, 25] },
  {
    name: "what the node does not have does not count",
    scoringStrategy: { type: "MostAllocated", resources: gpu },
    pod: asking({ cpu: "1", "example.com/gpu": "1" }),
    expect: [93, 25],
  },
];
for (const { name, scoringStrategy, pod = asking({ cpu: "1", memory: "1Gi" }), expect } of strategies)
  test(`scores ${name}`, () => {
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
  test(`refuses ${JSON.stringify(args)}`, () => assert.throws(() => scores(nodeResourcesFit, { nodes: [], args }, podWith()), { message }));

const small = nodeNamed("n", { allocatable: { cpu: "1" } });
const large = nodeNamed("n", { allocatable: { cpu: "4" } });
const scheduled = (pod: Pod): Pod => ({ ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: "n" } });
const events = [
  { name: "a node with room comes", what: ["Node", "add"], after: large, expect: true },
  { name: "a node without comes", what: ["Node", "add"], after: small, expect: false },
  { name: "a node grows", what: ["Node", "updateAllocatable"], before: small, after: large, expect: true },
  { name: "one that had room all along changes", what: ["Node", "updateAllocatable"], before: large, after: large, expect: false },
  { name: "a Pod goes", what: ["AssignedPod", "delete"], before: scheduled(asking({ cpu: "1" })), expect: true },
  {
    name: "a Pod asks for less CPU",
    what: ["AssignedPod", "updateRequests"],
    before: scheduled(asking({ cpu: "2" })),
    after: scheduled(asking({ cpu: "1" })),
    expect: true,
  },
  {
    name: "a Pod asks for less memory",
    what: ["AssignedPod", "updateRequests"],
    before: scheduled(asking({ memory: "2" })),
    after: scheduled(asking({ memory: "1" })),
    expect: false,
  },
] as const;
for (const { name, expect, ...event } of events)
  test(`${name}: a Pod that wants CPU ${expect ? "is tried again" : "waits on"}`, () =>
    assert.equal(wakes(nodeResourcesFit, {}, { pod: asking({ cpu: "2" }), ...event }), expect));
