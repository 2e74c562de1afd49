/** What plugins make of Pods. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@coxswain/machinery";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { admitted } from "./plugin-under-test.ts";
import { podResizeValidator } from "./pod-resize-validator.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { priority } from "./priority.ts";

interface Pod extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

const pod = (spec: Pod["spec"] = {}, metadata: KubeObject["metadata"] = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "n", ...metadata },
  spec,
});
const priorityClass = (name: string, more: object): KubeObject => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name },
  ...more,
});
const node = (labels: Readonly<Record<string, string>>, allocatable = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "there", labels },
  status: { allocatable },
});
const tolerates = (name: string) => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
});

const never = priorityClass("never", { value: 5, preemptionPolicy: "Never" });
const high = priorityClass("high", { value: 9, globalDefault: true, preemptionPolicy: "PreemptLowerPriority" });
const place = { "topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r" };
const ofPods = 'pods "p" is forbidden: ';
const computed = "must not be provided in pod spec; priority admission controller computed";

interface Case {
  readonly name: string;
  readonly plugin: AdmissionPluginFactory<ObjectReader>;
  readonly object: KubeObject;
  readonly previous?: KubeObject;
  readonly subresource?: string;
  readonly stored?: readonly KubeObject[];
  readonly expect: KubeObject | string;
}

const cases: readonly Case[] = [
  {
    name: "a Pod has the priority and the policy of its class",
    plugin: priority,
    object: pod({ priorityClassName: "never" }),
    stored: [never],
    expect: pod({ priorityClassName: "never", priority: 5, preemptionPolicy: "Never" }),
  },
  {
    name: "a Pod that names no class has the default one",
    plugin: priority,
    object: pod(),
    stored: [never, high],
    expect: pod({ priorityClassName: "high", priority: 9, preemptionPolicy: "PreemptLowerPriority" }),
  },
  {
    name: "a Pod without any class preempts",
    plugin: priority,
    object: pod(),
    expect: pod({ priority: 0, preemptionPolicy: "PreemptLowerPriority" }),
  },
  {
    name: "a Pod whose policy is not its class's is refused",
    plugin: priority,
    object: pod({ priorityClassName: "never", preemptionPolicy: "PreemptLowerPriority" }),
    stored: [never],
    expect: `${ofPods}the string value of PreemptionPolicy (PreemptLowerPriority) ${computed} Never from the given PriorityClass name`,
  },
  {
    name: "a Pod without a class has no policy of its own",
    plugin: priority,
    object: pod({ preemptionPolicy: "Never" }),
    expect: `${ofPods}the string value of PreemptionPolicy (Never) ${computed} PreemptLowerPriority from the given PriorityClass name`,
  },
  {
    name: "a Pod whose priority is not its class's is refused",
    plugin: priority,
    object: pod({ priority: 3 }),
    expect: `${ofPods}the integer value of priority (3) ${computed} 0 from the given PriorityClass name`,
  },
  {
    name: "a Pod of a class that is not there is refused",
    plugin: priority,
    object: pod({ priorityClassName: "none" }),
    expect: `${ofPods}no PriorityClass with name none was found`,
  },
  {
    name: "an update that leaves priority and policy out keeps them, whatever the classes say by now",
    plugin: priority,
    object: pod(),
    previous: pod({ priority: 5, preemptionPolicy: "Never" }),
    stored: [high],
    expect: pod({ priority: 5, preemptionPolicy: "Never" }),
  },
  {
    name: "a second default class is refused",
    plugin: priority,
    object: priorityClass("second", { globalDefault: true }),
    stored: [high],
    expect:
      'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass high is already marked as default. Only one default can exist',
  },
  {
    name: "a class that becomes a second default is refused",
    plugin: priority,
    object: { ...never, globalDefault: true },
    previous: never,
    stored: [high, never],
    expect:
      'priorityclasses.scheduling.k8s.io "never" is forbidden: PriorityClass high is already marked as default. Only one default can exist',
  },
  {
    name: "the default class may be changed",
    plugin: priority,
    object: high,
    previous: high,
    stored: [high],
    expect: high,
  },
  {
    name: "a Pod whose tolerations are replaced gets the two of all Pods back",
    plugin: defaultTolerationSeconds,
    object: pod({ tolerations: [{ key: "k", operator: "Exists" }] }),
    previous: pod({ tolerations: [tolerates("not-ready"), tolerates("unreachable")] }),
    expect: pod({ tolerations: [{ key: "k", operator: "Exists" }, tolerates("not-ready"), tolerates("unreachable")] }),
  },
  {
    name: "a write of a Pod's status adds no tolerations",
    plugin: defaultTolerationSeconds,
    object: pod(),
    previous: pod(),
    subresource: "status",
    expect: pod(),
  },
  {
    name: "a Pod that is made on a node has the node's zone and region",
    plugin: podTopologyLabels,
    object: pod({ nodeName: "there" }, { labels: { a: "b", "topology.kubernetes.io/zone": "other" } }),
    stored: [node({ ...place, "topology.kubernetes.io/rack": "x" })],
    expect: pod({ nodeName: "there" }, { labels: { a: "b", ...place } }),
  },
  {
    name: "a Pod that is made on a node that is not there has none",
    plugin: podTopologyLabels,
    object: pod({ nodeName: "elsewhere" }),
    stored: [node(place)],
    expect: pod({ nodeName: "elsewhere" }),
  },
  {
    name: "a Binding carries the node's zone and region",
    plugin: podTopologyLabels,
    object: { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: { kind: "Node", name: "there" } },
    subresource: "binding",
    stored: [node(place)],
    expect: {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "p", labels: place },
      target: { kind: "Node", name: "there" },
    },
  },
  {
    name: "a Binding to what is not called a Node carries nothing",
    plugin: podTopologyLabels,
    object: { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: { name: "there" } },
    subresource: "binding",
    stored: [node(place)],
    expect: { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: { name: "there" } },
  },
];
for (const { name, plugin, expect, ...asked } of cases) test(name, async () => assert.deepEqual(await admitted(plugin, asked), expect));

const sized = (cpu: string, memory: string, generation: number): Pod =>
  pod({ nodeName: "there", containers: [{ name: "c", image: "i", resources: { requests: { cpu, memory } } }] }, { generation });

const resizes = [
  { name: "what the node has", to: ["2", "1Gi"], node: node({}, { cpu: "2", memory: "1Gi" }), expect: undefined },
  {
    name: "more than the node has",
    to: ["2500m", "2Gi"],
    node: node({}, { cpu: "2", memory: "1Gi" }),
    expect:
      "node didn't have enough allocatable resources: cpu, requested: 2500, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824",
  },
  {
    name: "on another system",
    to: ["1", "1Gi"],
    node: node({ "kubernetes.io/os": "windows" }, { cpu: "2", memory: "1Gi" }),
    expect: 'pod resize is only supported on linux nodes, node "there" is "windows"',
  },
  { name: "on a node that is not there", to: ["1", "1Gi"], node: undefined, expect: 'node "there" not found' },
] as const;
for (const { name, to, node: on, expect } of resizes)
  test(`a Pod is resized: ${name}`, async () => {
    const object = sized(to[0], to[1], 2);
    const asked = { object, previous: sized("1", "1Mi", 1), subresource: "resize", stored: on === undefined ? [] : [on] };
    assert.deepEqual(await admitted(podResizeValidator, asked), expect === undefined ? object : `${ofPods}${expect}`);
  });
