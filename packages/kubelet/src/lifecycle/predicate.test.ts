import assert from "node:assert/strict";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import type { Pod } from "../pod/pod.ts";
import { admitPod } from "./admission.ts";

const node: coreV1.Node = {
  metadata: { name: "one", labels: { zone: "a" } },
  spec: { taints: [] },
  status: {
    allocatable: { cpu: "2", memory: "4Gi", pods: "3", "example.com/gpu": "1" },
    nodeInfo: { operatingSystem: "linux" } as coreV1.NodeSystemInfo,
  },
};

const asking = (requests: Record<string, string>, spec: Partial<coreV1.PodSpec> = {}, name = "web"): Pod => ({
  metadata: { name, namespace: "default", uid: name },
  spec: { nodeName: "one", containers: [{ name: "main", resources: { requests } }], ...spec },
});
const port = (hostPort: number, hostIP?: string) => ({
  containers: [{ name: "main", ports: [{ containerPort: 80, hostPort, ...(hostIP === undefined ? {} : { hostIP }) }] }],
});
const tainted = (effect: string): coreV1.Node => ({ ...node, spec: { taints: [{ key: "gone", effect }] } });

const refusals: readonly { name: string; pod: Pod; others?: readonly Pod[]; on?: coreV1.Node; reason?: string; message?: string }[] = [
  { name: "what fits is admitted", pod: asking({ cpu: "2", memory: "4Gi" }) },
  {
    name: "too little CPU",
    pod: asking({ cpu: "1500m" }),
    others: [asking({ cpu: "1" }, {}, "a")],
    reason: "OutOfcpu",
    message: "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
  },
  {
    name: "too little memory",
    pod: asking({ memory: "5Gi" }),
    reason: "OutOfmemory",
    message: "Node didn't have enough resource: memory, requested: 5368709120, used: 0, capacity: 4294967296",
  },
  {
    name: "too many Pods",
    pod: asking({}),
    others: [asking({}, {}, "a"), asking({}, {}, "b"), asking({}, {}, "c")],
    reason: "OutOfpods",
    message: "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
  },
  {
    name: "too few devices",
    pod: asking({ "example.com/gpu": "2" }),
    reason: "OutOfexample.com/gpu",
    message: "Node didn't have enough resource: example.com/gpu, requested: 2, used: 0, capacity: 1",
  },
  { name: "devices that the node does not know are others' business", pod: asking({ "example.com/dongle": "1" }) },
  {
    name: "another zone",
    pod: asking({}, { nodeSelector: { zone: "b" } }),
    reason: "NodeAffinity",
    message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  },
  {
    name: "another node",
    pod: asking({}, { nodeName: "two" }),
    reason: "NodeName",
    message: "Predicate NodeName failed: node(s) didn't match the requested node name",
  },
  {
    name: "a port that is taken",
    pod: asking({}, port(80)),
    others: [asking({}, port(80, "10.0.0.1"), "a")],
    reason: "NodePorts",
    message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  },
  { name: "a port of another address", pod: asking({}, port(80, "10.0.0.2")), others: [asking({}, port(80, "10.0.0.1"), "a")] },
  {
    name: "a node that sends Pods away",
    pod: asking({}),
    on: tainted("NoExecute"),
    reason: "TaintToleration",
    message: "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
  },
  { name: "a node that gets no new ones, where schedulers chose it all the same", pod: asking({}), on: tainted("NoSchedule") },
  {
    name: "another system",
    pod: asking({}, { os: { name: "windows" } }),
    reason: "PodOSNotSupported",
    message: "Failed to admit pod as the OS field doesn't match node OS",
  },
];
for (const { name, pod, others = [], on = node, reason, message } of refusals)
  test(name, () => {
    const kind = reason === "NodeAffinity" ? "recheckNode" : "reject";
    const expect = reason === undefined ? { kind: "admit" } : { kind, rejection: { reason, message } };
    assert.deepEqual(admitPod(pod, on, others), expect);
  });

const critical = { priority: 2_000_000_000 };
const limits = (cpu: string) => ({
  containers: [{ name: "main", resources: { requests: { cpu, memory: "1Mi" }, limits: { cpu, memory: "1Mi" } } }],
});

test("a critical Pod takes the place of the least important that will do", () => {
  const guaranteed = asking({}, limits("500m"), "guaranteed");
  const [small, large] = [asking({ cpu: "300m" }, {}, "small"), asking({ cpu: "1200m" }, {}, "large")];
  const victims = (cpu: string) => {
    const reply = admitPod(asking({ cpu }, critical), node, [guaranteed, small, large]);
    return reply.kind === "preempt" ? reply.victims.map(({ metadata }) => metadata?.name) : reply;
  };
  assert.deepEqual(victims("200m"), ["small"]);
  assert.deepEqual(victims("1"), ["large"]);
  assert.deepEqual(victims("1900m"), ["large", "small", "guaranteed"]);
});

test("critical Pods leave each other their places", () => {
  const reply = admitPod(asking({ cpu: "2" }, critical), node, [asking({ cpu: "1" }, critical, "other")]);
  assert.deepEqual(reply, {
    kind: "reject",
    rejection: {
      reason: "UnexpectedAdmissionError",
      message:
        "Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: " +
        "no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]",
    },
  });
});

test("what a Pod that runs asks for is added up once, however many come after it", () => {
  let read = 0;
  const spec = asking({ cpu: "100m", memory: "1Mi" }).spec as coreV1.PodSpec;
  const running: Pod = {
    metadata: { name: "running" },
    get spec() {
      read++;
      return spec;
    },
  };
  const admitAnother = () => assert.equal(admitPod(asking({ cpu: "100m" }), node, [running]).kind, "admit");
  admitAnother();
  const once = read;
  admitAnother();
  assert.equal(read, once);
});
