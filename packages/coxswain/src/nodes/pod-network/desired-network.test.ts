import assert from "node:assert/strict";
import { test } from "node:test";
import { cniConfig } from "./cni-config.ts";
import { desiredNetwork } from "./desired-network.ts";
import { masqueradeRules } from "./masquerade.ts";

const node = (name: string, podCIDRs: readonly string[], addresses: readonly string[], seconds = 0) => ({
  metadata: { name, creationTimestamp: `2026-01-01T00:00:0${seconds}Z` },
  spec: { podCIDRs: [...podCIDRs] },
  status: { addresses: addresses.map((address) => ({ type: "InternalIP", address })) },
});
const a = node("a", ["10.244.0.0/24"], ["192.0.2.1"]);
const b = node("b", ["10.244.1.0/24"], ["192.0.2.2"]);
const dual = node("d", ["10.244.2.0/24", "fd00:10:244:2::/64"], ["192.0.2.4", "fd00::4"]);
const clusterCidrs = ["10.244.0.0/16", "fd00:10:244::/56"];

const cases = [
  { name: "a node alone has no routes", nodes: [a], expect: { own: ["10.244.0.0/24"], all: ["10.244.0.0/24"], routes: [] } },
  {
    name: "another node's Pods are behind its address",
    nodes: [a, b],
    expect: { own: ["10.244.0.0/24"], all: ["10.244.0.0/24", "10.244.1.0/24"], routes: [{ to: "10.244.1.0/24", via: "192.0.2.2" }] },
  },
  {
    name: "each family leads to the address of that family",
    nodes: [dual],
    expect: {
      own: [],
      all: ["10.244.2.0/24", "fd00:10:244:2::/64"],
      routes: [
        { to: "10.244.2.0/24", via: "192.0.2.4" },
        { to: "fd00:10:244:2::/64", via: "fd00::4" },
      ],
    },
  },
  {
    name: "a node without an address of the family cannot be reached",
    nodes: [node("b", ["fd00:10:244:2::/64"], ["192.0.2.2"])],
    expect: { own: [], all: ["fd00:10:244:2::/64"], routes: [] },
  },
  {
    name: "a range that is none of the cluster's is not led anywhere",
    nodes: [a, node("b", ["0.0.0.0/0"], ["192.0.2.2"])],
    expect: { own: ["10.244.0.0/24"], all: ["10.244.0.0/24"], routes: [] },
  },
  {
    name: "of two nodes with one range, the older one has it",
    nodes: [node("b", ["10.244.0.0/25"], ["192.0.2.2"], 1), a],
    expect: { own: ["10.244.0.0/24"], all: ["10.244.0.0/24"], routes: [] },
  },
  {
    name: "what is no range or address counts for nothing",
    nodes: [node("b", ["10.244.0.0", "none"], ["none"]), node("c", ["10.244.3.0/24"], ["; reboot"])],
    expect: { own: [], all: ["10.244.3.0/24"], routes: [] },
  },
];
for (const { name, nodes, expect } of cases)
  test(name, () => assert.deepEqual(desiredNetwork(nodes, { nodeName: "a", clusterCidrs }), expect));

test("a machine that is no node reaches the Pods of all", () => {
  const { own, routes } = desiredNetwork([a, b], { nodeName: undefined, clusterCidrs: [] });
  assert.deepEqual([own, routes.map(({ to }) => to)], [[], ["10.244.0.0/24", "10.244.1.0/24"]]);
});

test("packets of Pods get the node's address where they leave the cluster", () => {
  const rules = masqueradeRules({ own: ["10.244.0.0/24"], all: ["10.244.0.0/24", "10.244.1.0/24", "fd00::/64"] });
  assert.match(
    rules,
    /ip saddr \{ 10\.244\.0\.0\/24 \} ip daddr != \{ 10\.244\.0\.0\/24, 10\.244\.1\.0\/24, 224\.0\.0\.0\/4 \} masquerade/,
  );
  assert.doesNotMatch(rules, /ip6 saddr/);
  assert.match(rules, /delete table ip6 coxswain-pod-network/);
});

test("Pods of a node with ranges of both families get an address of each", () => {
  const { plugins } = JSON.parse(cniConfig("ptp", ["10.244.0.0/24", "fd00::/64"], "/var/lib/addresses"));
  assert.equal(plugins[0].type, "ptp");
  assert.deepEqual(plugins[0].ipam.ranges, [[{ subnet: "10.244.0.0/24" }], [{ subnet: "fd00::/64" }]]);
  assert.deepEqual(plugins[0].ipam.routes, [{ dst: "0.0.0.0/0" }, { dst: "::/0" }]);
  assert.deepEqual(plugins[1], { type: "portmap", capabilities: { portMappings: true } });
});
