import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, statusUpdatedAs, updatedAs } from "../../kind-under-test.ts";
import { namespace } from "../namespace/strategy.ts";
import { node } from "./strategy.ts";

test("podCIDR and the first of podCIDRs are one", () => {
  const { spec } = createdAs(node, { spec: { podCIDR: "10.1.0.0/24", podCIDRs: ["10.2.0.0/24"] } }).object;
  assert.deepEqual(spec, { podCIDR: "10.1.0.0/24", podCIDRs: ["10.1.0.0/24"] });
  assert.equal(createdAs(node, { spec: { podCIDRs: ["10.2.0.0/24"] } }).object.spec?.podCIDR, "10.2.0.0/24");
});

test("what a node has is what it can give away", () => {
  assert.deepEqual(createdAs(node, { status: { capacity: { cpu: "2" } } }).object.status?.allocatable, { cpu: "2" });
});

const refused = [
  {
    name: "taints that repeat",
    body: {
      spec: {
        taints: [
          { key: "a", effect: "NoSchedule" },
          { key: "a", effect: "NoSchedule", value: "v" },
        ],
      },
    },
    expect: [
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"v","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
    ],
  },
  {
    name: "an unknown effect",
    body: { spec: { taints: [{ key: "a", effect: "Never" }] } },
    expect: ['metadata.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'],
  },
  {
    name: "half a pod",
    body: { status: { capacity: { pods: "1500m", cpu: "-1" } } },
    expect: [
      'status.capacity.pods: Invalid value: "1500m": must be an integer',
      'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
      'status.allocatable.pods: Invalid value: "1500m": must be an integer',
      'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
    ],
  },
  {
    name: "two ranges of one family",
    body: { spec: { podCIDRs: ["10.1.0.0/24", "10.2.0.0/24"] } },
    expect: ['spec.podCIDRs: Invalid value: ["10.1.0.0/24","10.2.0.0/24"]: may specify no more than one CIDR for each IP family'],
  },
];
for (const { name, body, expect } of refused)
  test(`a node: refuses ${name}`, () => assert.deepEqual(createdAs(node, body).problems, expect));

test("addresses, once given, stay", () => {
  const prev = createdAs(node, { spec: { podCIDR: "10.1.0.0/24", providerID: "p" } }).object;
  assert.deepEqual(updatedAs(node, prev, { spec: { podCIDR: "10.2.0.0/24" } }).problems, [
    'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
  ]);
});

test("a status names each address once", () => {
  const address = { type: "InternalIP", address: "10.0.0.1" };
  assert.deepEqual(statusUpdatedAs(node, createdAs(node, {}).object, { addresses: [address, address] }).problems, [
    'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"10.0.0.1"}',
  ]);
});

const now = Date.parse("2026-01-02T00:00:00Z");
const metadata = { name: "n", creationTimestamp: "2026-01-01T00:00:00Z" };
const nodeInfo = {
  kubeletVersion: "v1.36.3",
  osImage: "Debian",
  kernelVersion: "6.1",
  architecture: "amd64",
  containerRuntimeVersion: "containerd://2",
};
const rows = [
  {
    name: "an empty node",
    body: {},
    expect: ["n", "Unknown", "<none>", "24h", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"],
  },
  {
    name: "a working node",
    body: {
      metadata: {
        ...metadata,
        labels: { "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "edge", "node-role.kubernetes.io/control-plane": "" },
      },
      spec: { unschedulable: true },
      status: { conditions: [{ type: "Ready", status: "True" }], addresses: [{ type: "InternalIP", address: "10.0.0.1" }], nodeInfo },
    },
    expect: [
      "n",
      "Ready,SchedulingDisabled",
      "control-plane,edge,worker",
      "24h",
      "v1.36.3",
      "10.0.0.1",
      "<none>",
      "Debian",
      "6.1 (amd64)",
      "containerd://2",
    ],
  },
];
for (const { name, body, expect } of rows)
  test(`shows ${name}`, () => assert.deepEqual(node.columns?.cells(createdAs(node, { metadata, ...body }).object, now), expect));

test("a namespace gets its label, its finalizer and its phase", () => {
  const { object } = createdAs(namespace, {
    metadata: { name: "a", labels: { x: "y" } },
    spec: { finalizers: ["example.com/f"] },
    status: { phase: "Terminating" },
  });
  assert.deepEqual(object, {
    metadata: { name: "a", labels: { x: "y", "kubernetes.io/metadata.name": "a" } },
    spec: { finalizers: ["example.com/f", "kubernetes"] },
    status: { phase: "Active" },
  });
});

test("a namespace's finalizers only change through /finalize", () => {
  const prev = createdAs(namespace, { metadata: { name: "a" } }).object;
  assert.deepEqual(updatedAs(namespace, prev, { metadata: { name: "a" }, spec: { finalizers: [] } }).object.spec, {
    finalizers: ["kubernetes"],
  });
  assert.equal(namespace.mayBeRemoved?.(prev), false);
  assert.equal(namespace.mayBeRemoved?.({ spec: {} }), true);
});

test("a namespace's phase says whether it is being deleted", () => {
  const prev = createdAs(namespace, { metadata: { name: "a" } }).object;
  assert.deepEqual(statusUpdatedAs(namespace, prev, { phase: "Terminating" }).problems, [
    "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
  ]);
});

test("a finalizer without a domain is a standard one", () => {
  assert.deepEqual(createdAs(namespace, { metadata: { name: "a" }, spec: { finalizers: ["mine"] } }).problems, [
    'spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
  ]);
});
