import assert from "node:assert/strict";
import { test } from "node:test";
import type { api } from "@coxswain/client";
import { ObservedCluster } from "./observed-cluster.ts";

type Pod = api.coreV1.Pod;
type Policy = api.networkingV1.NetworkPolicy;

interface More {
  readonly status?: Pod["status"];
  readonly spec?: Partial<api.coreV1.PodSpec>;
  readonly labels?: Readonly<Record<string, string>>;
}

const pod = ({ status, spec, labels = {} }: More = {}): Pod => ({
  metadata: { namespace: "x", name: "a", uid: "u", labels },
  spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }], ...spec },
  status: { phase: "Running", podIP: "10.0.0.1", ...status },
});

const cases: readonly { readonly name: string; readonly to: Pod; readonly isChange: boolean; readonly addresses: readonly string[] }[] = [
  {
    name: "gets another condition",
    to: pod({ status: { conditions: [{ type: "Ready", status: "True" }] } }),
    isChange: false,
    addresses: ["10.0.0.1"],
  },
  { name: "gets a label", to: pod({ labels: { app: "a" } }), isChange: true, addresses: ["10.0.0.1"] },
  {
    name: "gets its address of IPv6",
    to: pod({ status: { podIPs: [{ ip: "10.0.0.1" }, { ip: "FD00::1" }] } }),
    isChange: true,
    addresses: ["10.0.0.1", "fd00::1"],
  },
  { name: "has ended, whose address may be another's", to: pod({ status: { phase: "Succeeded" } }), isChange: true, addresses: [] },
  {
    name: "is about to be deleted",
    to: { ...pod(), metadata: { ...pod().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
    isChange: false,
    addresses: ["10.0.0.1"],
  },
  { name: "is in the network of its node", to: pod({ spec: { hostNetwork: true } }), isChange: true, addresses: [] },
];

for (const { name, to, isChange, addresses } of cases)
  test(`a Pod that ${name}`, () => {
    const cluster = new ObservedCluster();
    assert.equal(cluster.onPod({ type: "added", initial: false, object: pod() }), true);
    assert.equal(cluster.onPod({ type: "updated", resync: false, object: to, previous: pod() }), isChange);
    const { pods } = cluster.inputOf("n1");
    assert.deepEqual(
      pods.flatMap((one) => Object.values(one.addresses)),
      addresses,
    );
  });

test("a policy that cannot be read counts for nothing, also when it could be before", () => {
  const cluster = new ObservedCluster();
  const policy = (operator: string): Policy => ({
    metadata: { namespace: "x", name: "p" },
    spec: { podSelector: { matchExpressions: [{ key: "app", operator }] } },
  });
  assert.equal(cluster.onPolicy({ type: "added", initial: false, object: policy("Exists") }), true);
  assert.throws(() => cluster.onPolicy({ type: "updated", resync: false, object: policy("Unknown"), previous: policy("Exists") }));
  assert.deepEqual(cluster.inputOf("n1").policies, []);
});
