import assert from "node:assert/strict";
import { test } from "node:test";
import { createCycleState } from "../../framework/cycle-state.ts";
import { newNodeInfo } from "../../framework/new-node-info.ts";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import { skip } from "../../framework/plugin.ts";
import { handleOf, snapshotOf } from "../volumes/objects-under-test.ts";
import { volumeBinding } from "./volume-binding.ts";

const nodes = ["a", "b"].map((name) => newNodeInfo({ metadata: { name, labels: { host: name } } }));
const classes = [
  { metadata: { name: "later" }, provisioner: "x.io/p", volumeBindingMode: "WaitForFirstConsumer" },
  { metadata: { name: "local" }, provisioner: "kubernetes.io/no-provisioner", volumeBindingMode: "WaitForFirstConsumer" },
  {
    metadata: { name: "in-b" },
    provisioner: "x.io/p",
    volumeBindingMode: "WaitForFirstConsumer",
    allowedTopologies: [{ matchLabelExpressions: [{ key: "host", values: ["b"] }] }],
  },
  { metadata: { name: "now" }, provisioner: "x.io/p", volumeBindingMode: "Immediate" },
  { metadata: { name: "full" }, provisioner: "full.io/p", volumeBindingMode: "WaitForFirstConsumer" },
];
const driver = { metadata: { name: "full.io/p" }, spec: { storageCapacity: true } };
const capacity = {
  metadata: { name: "c", namespace: "x" },
  storageClassName: "full",
  capacity: "2Gi",
  nodeTopology: { matchLabels: { host: "a" } },
};

const claim = (storageClassName: string, more: object = {}, status: object = {}, annotations: Record<string, string> = {}) => ({
  metadata: { name: "c", namespace: "default", uid: "u", annotations },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName, ...more },
  status,
});
const volume = (name: string, host: string, more: object = {}) => ({
  metadata: { name },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    storageClassName: "local",
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "host", operator: "In", values: [host] }] }] } },
    ...more,
  },
  status: { phase: "Available" },
});
const bound = claim("later", { volumeName: "v" }, {}, { "pv.kubernetes.io/bind-completed": "yes" });

const cases = [
  { name: "no claim, Filter is skipped", claims: [], volumes: [], pod: {}, expect: "skip" },
  { name: "a claim that does not exist, the Pod is rejected", claims: [], expect: 'persistentvolumeclaim "c" not found' },
  {
    name: "a claim of an ephemeral volume that is not created yet, the Pod is rejected",
    claims: [],
    pod: { volumes: [{ name: "v", ephemeral: {} }] },
    expect: 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"',
  },
  {
    name: "a claim in phase Lost, the Pod is rejected",
    claims: [claim("now", { volumeName: "v" }, { phase: "Lost" })],
    expect: 'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
  },
  {
    name: "an unbound claim with immediate binding, the Pod is rejected",
    claims: [claim("now")],
    expect: "pod has unbound immediate PersistentVolumeClaims",
  },
  {
    name: "an unbound claim of a StorageClass that does not exist, the Pod is rejected",
    claims: [claim("unknown")],
    expect: "pod has unbound immediate PersistentVolumeClaims",
  },
  {
    name: "a bound volume with node affinity, only that node is feasible",
    claims: [bound],
    volumes: [volume("v", "a")],
    expect: ["", "node(s) didn't match PersistentVolume's node affinity"],
  },
  {
    name: "a bound volume that does not exist, the nodes are rejected",
    claims: [bound],
    expect: Array(2).fill("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"),
  },
  {
    name: "an available volume with node affinity, only that node is feasible",
    claims: [claim("local")],
    volumes: [volume("v", "b")],
    expect: ["node(s) didn't find available persistent volumes to bind", ""],
  },
  {
    name: "an available volume that is reserved for another claim, the nodes are rejected",
    claims: [claim("local")],
    volumes: [volume("v", "b", { claimRef: { namespace: "default", name: "d" } })],
    expect: Array(2).fill("node(s) didn't find available persistent volumes to bind"),
  },
  {
    name: "a StorageClass with allowedTopologies, only nodes of these topologies are feasible",
    claims: [claim("in-b")],
    expect: ["node(s) didn't find available persistent volumes to bind", ""],
  },
  {
    name: "a claim with a selected node, only that node is feasible",
    claims: [claim("later", {}, {}, { "volume.kubernetes.io/selected-node": "b" })],
    expect: ["node(s) didn't find available persistent volumes to bind", ""],
  },
  {
    name: "storage capacity on one node, only that node is feasible",
    claims: [claim("full")],
    expect: ["", "node(s) did not have enough free storage"],
  },
  {
    name: "too little storage capacity, the nodes are rejected",
    claims: [claim("full", { resources: { requests: { storage: "3Gi" } } })],
    expect: Array(2).fill("node(s) did not have enough free storage"),
  },
];

for (const { name, claims, volumes = [], pod = { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] }, expect } of cases)
  test(name, () => {
    const objects = {
      persistentvolumeclaims: claims,
      persistentvolumes: volumes,
      storageclasses: classes,
      csidrivers: [driver],
      csistoragecapacities: [capacity],
    };
    const plugin = volumeBinding({}, handleOf({ objects, nodes }));
    const info = newPodInfo({ metadata: { name: "p", namespace: "default", uid: "p" }, spec: { containers: [], ...pod } });
    const state = createCycleState();
    const first = plugin.preFilter?.(state, info, snapshotOf(nodes));
    if (first === skip) return assert.equal("skip", expect);
    if (first !== undefined && "code" in first) {
      assert.equal(first.code, "UnschedulableAndUnresolvable");
      return assert.equal(first.reasons.join(), expect);
    }
    const statuses = nodes.map((node) => plugin.filter?.(state, info, node));
    assert.deepEqual(
      statuses.map((status) => status?.reasons.join() ?? ""),
      expect,
    );
  });

test("a volume that is reserved for a Pod is available to others only after Unreserve", () => {
  const objects = {
    persistentvolumeclaims: [claim("local"), { ...claim("local"), metadata: { name: "d", namespace: "default", uid: "d" } }],
    persistentvolumes: [volume("v", "b")],
    storageclasses: classes,
  };
  const plugin = volumeBinding({}, handleOf({ objects, nodes }));
  const attempt = (name: string) => {
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: name } }];
    const pod = newPodInfo({ metadata: { name: `p-${name}`, namespace: "default", uid: name }, spec: { containers: [], volumes } });
    const state = createCycleState();
    plugin.preFilter?.(state, pod, snapshotOf(nodes));
    const fits = nodes.filter((node) => plugin.filter?.(state, pod, node) === undefined).map((node) => node.name);
    return { fits, reserve: () => plugin.reserve?.(state, pod, "b"), unreserve: () => plugin.unreserve?.(state, pod, "b") };
  };
  const first = attempt("c");
  assert.deepEqual(first.fits, ["b"]);
  assert.equal(first.reserve(), undefined);
  assert.deepEqual(attempt("d").fits, []);
  assert.deepEqual(attempt("c").fits, ["b"]);
  first.unreserve();
  assert.deepEqual(attempt("d").fits, ["b"]);
});
