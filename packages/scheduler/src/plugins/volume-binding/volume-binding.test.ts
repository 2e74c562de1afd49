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
  { name: "no claim", claims: [], volumes: [], pod: {}, expect: "skip" },
  { name: "a claim that is not there", claims: [], expect: 'persistentvolumeclaim "c" not found' },
  {
    name: "an ephemeral claim that is not there yet",
    claims: [],
    pod: { volumes: [{ name: "v", ephemeral: {} }] },
    expect: 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"',
  },
  {
    name: "a lost claim",
    claims: [claim("now", { volumeName: "v" }, { phase: "Lost" })],
    expect: 'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
  },
  { name: "a claim that binds at once", claims: [claim("now")], expect: "pod has unbound immediate PersistentVolumeClaims" },
  { name: "a class that nobody knows", claims: [claim("nobody")], expect: "pod has unbound immediate PersistentVolumeClaims" },
  {
    name: "a volume in reach of one node",
    claims: [bound],
    volumes: [volume("v", "a")],
    expect: ["", "node(s) didn't match PersistentVolume's node affinity"],
  },
  {
    name: "a volume that has gone",
    claims: [bound],
    expect: Array(2).fill("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"),
  },
  {
    name: "a local volume on one node",
    claims: [claim("local")],
    volumes: [volume("v", "b")],
    expect: ["node(s) didn't find available persistent volumes to bind", ""],
  },
  {
    name: "a local volume that is another claim's",
    claims: [claim("local")],
    volumes: [volume("v", "b", { claimRef: { namespace: "default", name: "d" } })],
    expect: Array(2).fill("node(s) didn't find available persistent volumes to bind"),
  },
  {
    name: "a volume to be made in b",
    claims: [claim("in-b")],
    expect: ["node(s) didn't find available persistent volumes to bind", ""],
  },
  {
    name: "a volume that is being made for b",
    claims: [claim("later", {}, {}, { "volume.kubernetes.io/selected-node": "b" })],
    expect: ["node(s) didn't find available persistent volumes to bind", ""],
  },
  { name: "room in a", claims: [claim("full")], expect: ["", "node(s) did not have enough free storage"] },
  {
    name: "too little room",
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

test("what is reserved for a Pod is not another's, until it is given back", () => {
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
