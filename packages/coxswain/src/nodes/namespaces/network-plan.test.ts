import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseRange, clusterId, overlapping, planNetwork, rangesInUse } from "./network-plan.ts";

const wanted = { id: "0a1b2c", range: "10.213.7.0/24", hasIpv6: false, nodes: ["node-1", "node-2"] };

test("nodes have addresses behind the machine's own, of one family or of both", () => {
  assert.deepEqual(planNetwork(wanted), {
    id: "0a1b2c",
    bridge: "cxw-0a1b2c",
    table: "coxswain-nodes-0a1b2c",
    range: "10.213.7.0/24",
    gateway: "10.213.7.1",
    prefixLength: 24,
    gateway6: undefined,
    nodes: [
      { name: "node-1", namespace: "coxswain-0a1b2c-node-1", link: "cxw-0a1b2c-1", address: "10.213.7.2", address6: undefined },
      { name: "node-2", namespace: "coxswain-0a1b2c-node-2", link: "cxw-0a1b2c-2", address: "10.213.7.3", address6: undefined },
    ],
  });
  const { gateway6, nodes } = planNetwork({ ...wanted, hasIpv6: true });
  assert.deepEqual([gateway6, ...nodes.map(({ address6 }) => address6)], ["fd13:a1b:2c00::1", "fd13:a1b:2c00::2", "fd13:a1b:2c00::3"]);
});

test("a range counts from its first address, whichever was named", () => {
  assert.equal(planNetwork({ ...wanted, range: "192.168.5.77/28" }).gateway, "192.168.5.65");
});

test("names of interfaces fit into the 15 characters that they may have", () => {
  const nodes = Array.from({ length: 250 }, (_, index) => `node-${index + 1}`);
  for (const { link } of planNetwork({ ...wanted, nodes }).nodes) assert.ok(link.length <= 15, link);
});

const tooSmall = [
  { range: "10.0.0.0/30", nodes: 2, message: "--node-range 10.0.0.0/30 has addresses for 1 nodes, not 2" },
  { range: "10.0.0.0/32", nodes: 1, message: "--node-range 10.0.0.0/32 has addresses for 0 nodes, not 1" },
];
for (const { range, nodes, message } of tooSmall)
  test(`${range} is rejected for ${nodes} nodes`, () => {
    const names = Array.from({ length: nodes }, (_, index) => `node-${index + 1}`);
    assert.throws(() => planNetwork({ ...wanted, range, nodes: names }), { message });
  });

test("a cluster has the same id in the same folder, and another one elsewhere", () => {
  assert.equal(clusterId("/var/lib/one"), clusterId("/var/lib/one"));
  assert.notEqual(clusterId("/var/lib/one"), clusterId("/var/lib/two"));
  assert.match(clusterId("/var/lib/one"), /^[0-9a-f]{6}$/);
});

const choices = [
  { name: "the one that the id says", used: [], expect: "10.213.10.0/24" },
  { name: "the next where that is in use", used: ["10.213.10.128/25"], expect: "10.213.11.0/24" },
  { name: "the next where a wider range is in use", used: ["10.213.8.0/22"], expect: "10.213.12.0/24" },
  {
    name: "one from the beginning where those behind are in use",
    used: ["10.213.8.0/21", "10.213.16.0/20", "10.213.32.0/19", "10.213.64.0/18", "10.213.128.0/17"],
    expect: "10.213.0.0/24",
  },
  { name: "one beside addresses of IPv6", used: ["fd00::/64", "::1/128"], expect: "10.213.10.0/24" },
];
for (const { name, used, expect } of choices)
  test(`of ranges is taken ${name}`, () => {
    assert.equal(chooseRange("0a1b2c", used), expect);
  });

test("a machine that uses all of them has to choose", () => {
  assert.throws(() => chooseRange("0a1b2c", ["10.0.0.0/8"]), { name: "StartError" });
});

test("what a range overlaps is named", () => {
  assert.deepEqual(overlapping("10.88.1.0/24", ["10.88.0.0/16", "10.89.0.0/16", "10.88.1.7/32"]), ["10.88.0.0/16", "10.88.1.7/32"]);
});

test("in use is where routes lead, but for the default one and one's own", () => {
  const routes = [
    { dst: "default", dev: "eth0" },
    { dst: "10.88.0.0/16", dev: "cni0" },
    { dst: "10.213.7.0/24", dev: "cxw-0a1b2c" },
    { type: "local", dst: "192.0.2.2", dev: "eth0" },
    { dst: "fe80::/64", dev: "eth0" },
    { dst: "fd00::2", dev: "eth0" },
  ];
  assert.deepEqual(rangesInUse(routes, "cxw-0a1b2c"), ["10.88.0.0/16", "192.0.2.2/32", "fe80::/64", "fd00::2/128"]);
});
