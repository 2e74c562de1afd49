import assert from "node:assert/strict";
import { test } from "node:test";
import { AllocatedValues } from "./allocated-values.ts";
import { DryRunOperation, StoredOperation } from "./allocation-operation.ts";
import { NodePortAllocator } from "./node-port-allocator.ts";
import { findFree, type Range } from "./range.ts";
import { ServiceCidrs } from "./service-cidrs.ts";
import { ServiceIPAllocator } from "./service-ip-allocator.ts";
import { serviceRange } from "./service-range.ts";

/** Always the first of what there is. */
const random = { next: () => 0, uuid: () => "" };
const letters: Range = {
  text: "a-c",
  size: 3n,
  staticSize: 1n,
  at: (index) => "abc"[Number(index)] ?? "",
  has: (value) => "abc".includes(value),
};

test("a value that is held or stored is in use, until nothing has it", () => {
  const values = new AllocatedValues();
  values.store("b", "/services/x");
  const held = values.hold("a");
  assert.deepEqual(
    ["a", "b", "c"].map((one) => values.isUsed(one)),
    [true, true, false],
  );
  values.release("b", "/services/y");
  assert.ok(values.isUsed("b"));
  values.release("b", "/services/x");
  held[Symbol.dispose]();
  assert.deepEqual(
    ["a", "b"].map((one) => values.isUsed(one)),
    [false, false],
  );
});

test("a value that something records is in use when no Service has it, and remains the Service's that has it", () => {
  const values = new AllocatedValues((value) => value === "a");
  values.store("a", "/services/x");
  assert.ok(values.isOwn("a", "/services/x"));
  values.release("a", "/services/x");
  assert.deepEqual([values.isOwn("a", "/services/x"), values.isUsed("a"), values.isUsed("b")], [false, true, false]);
});

const crowded = [
  { used: "", expect: "b" },
  { used: "b", expect: "c" },
  { used: "bc", expect: "a" },
  { used: "abc", expect: undefined },
];
for (const { used, expect } of crowded)
  test(`of a range with ${used || "nothing"} in use, ${expect ?? "nothing"} is given`, () =>
    assert.equal(
      findFree(letters, (value) => used.includes(value), random),
      expect,
    ));

const ranges = [
  {
    cidr: "10.96.0.0/12",
    first: "10.96.0.1",
    last: "10.111.255.254",
    given: "10.96.1.1",
    outside: ["10.96.0.0", "10.111.255.255", "10.112.0.1", "fd00::1", "x"],
  },
  { cidr: "10.0.0.0/24", first: "10.0.0.1", last: "10.0.0.254", given: "10.0.0.17", outside: ["10.0.0.0", "10.0.0.255"] },
  { cidr: "10.0.0.0/28", first: "10.0.0.1", last: "10.0.0.14", given: "10.0.0.1", outside: ["10.0.0.15"] },
  {
    cidr: "fd00:10:96::/112",
    first: "fd00:10:96::1",
    last: "fd00:10:96::ffff",
    given: "fd00:10:96::101",
    outside: ["fd00:10:96::", "fd00:10:97::1", "10.0.0.1"],
  },
  {
    cidr: "fd00:1:2:3::/64",
    first: "fd00:1:2:3::1",
    last: "fd00:1:2:3:ffff:ffff:ffff:ffff",
    given: "fd00:1:2:3::101",
    outside: ["fd00:1:2:4::"],
  },
];
for (const { cidr, first, last, given, outside } of ranges)
  test(`addresses of ${cidr} go from ${first} to ${last}, and are given from ${given} on`, () => {
    const range = serviceRange(cidr)!;
    assert.deepEqual([range.at(0n), range.at(range.size - 1n)], [first, last]);
    for (const value of [first, last]) assert.ok(range.has(value), value);
    for (const value of outside) assert.ok(!range.has(value), value);
    assert.equal(
      findFree(range, () => false, random),
      given,
    );
  });

test("no addresses are given of a range of IPv6 that is larger than /64", () => assert.equal(serviceRange("fd00::/63"), undefined));

const ready = { conditions: [{ type: "Ready", status: "True", lastTransitionTime: "", reason: "", message: "" }] };
const notReady = { conditions: [{ type: "Ready", status: "False", lastTransitionTime: "", reason: "", message: "" }] };
const deleting = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const offered = [
  {
    name: "that of the server before others",
    cidrs: [{ name: "a" }, { name: "kubernetes", cidrs: ["10.1.0.0/24"] }],
    expect: [
      ["10.1.0.0/24", true],
      ["10.0.0.0/24", true],
    ],
  },
  { name: "one that is not ready", cidrs: [{ name: "a", status: notReady }], expect: [["10.0.0.0/24", false]] },
  { name: "one that is to be deleted", cidrs: [{ name: "a", status: ready, meta: deleting }], expect: [["10.0.0.0/24", false]] },
  {
    name: "one that another ServiceCIDR has, too",
    cidrs: [
      { name: "a", status: ready, meta: deleting },
      { name: "b", status: ready },
    ],
    expect: [["10.0.0.0/24", true]],
  },
  { name: "that of its family", cidrs: [{ name: "a", cidrs: ["fd00::/64", "10.1.0.0/24"] }], expect: [["10.1.0.0/24", true]] },
];
for (const { name, cidrs, expect } of offered)
  test(`the ranges of ServiceCIDRs: ${name}`, () => {
    const all = new ServiceCidrs();
    for (const one of cidrs as { name: string; cidrs?: string[]; status?: object; meta?: object }[])
      all.put({
        metadata: { name: one.name, ...one.meta },
        spec: { cidrs: one.cidrs ?? ["10.0.0.0/24"] },
        ...(one.status && { status: one.status }),
      });
    assert.deepEqual(
      all.rangesOf("IPv4").map(({ range, isReady }) => [range.text, isReady]),
      expect,
    );
  });

function allocatorsOf(...cidrs: readonly { readonly name: string; readonly cidrs: string[]; readonly status?: object }[]) {
  const all = new ServiceCidrs();
  for (const { name, cidrs: own, status } of cidrs) all.put({ metadata: { name }, spec: { cidrs: own }, ...(status && { status }) });
  const ips = new Map([
    ["IPv4", new ServiceIPAllocator("IPv4", all, random)] as const,
    ["IPv6", new ServiceIPAllocator("IPv6", all, random)] as const,
  ]);
  return { ips, ports: new NodePortAllocator({ random }), owner: "/services/x" };
}

test("an address is given once, however it is spelt", () => {
  const allocators = allocatorsOf({ name: "kubernetes", cidrs: ["10.0.0.0/28", "fd00::/112"] });
  using operation = new StoredOperation(allocators);
  assert.equal(operation.allocateIp("IPv6", "FD00:0::00AB"), undefined);
  assert.equal(operation.allocateIp("IPv6", "fd00::ab"), "provided IP is already allocated");
  assert.equal(operation.allocateIp("IPv4", "10.0.1.1"), "the provided network does not match the current range");
  allocators.ips.get("IPv4")?.values.store("10.0.1.1", "/services/x");
  assert.equal(operation.allocateIp("IPv4", "10.0.1.1"), undefined);
});

test("addresses come from the next range when one is full, and from none that is not ready", () => {
  const allocators = allocatorsOf(
    { name: "kubernetes", cidrs: ["10.0.0.0/30"] },
    { name: "b", cidrs: ["10.2.0.0/28"], status: notReady },
    { name: "c", cidrs: ["10.3.0.0/30"] },
  );
  using operation = new StoredOperation(allocators);
  const given = Array.from({ length: 5 }, () => operation.nextIp("IPv4"));
  assert.deepEqual(given, [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }, { ip: "10.3.0.1" }, { ip: "10.3.0.2" }, { problem: "range is full" }]);
  assert.equal(operation.allocateIp("IPv4", "10.2.0.1"), "the provided network does not match the current range");
});

test("a dry run gives what no Service gets, and looks at the range alone", () => {
  const allocators = allocatorsOf({ name: "kubernetes", cidrs: ["10.0.0.0/28"] });
  allocators.ips.get("IPv4")?.values.store("10.0.0.1", "/services/y");
  using operation = new DryRunOperation(allocators);
  assert.deepEqual(operation.nextIp("IPv4"), { ip: "10.0.0.0" });
  assert.equal(operation.allocateIp("IPv4", "10.0.0.1"), undefined);
  assert.equal(
    operation.allocateIp("IPv4", "10.0.0.15"),
    "the provided IP (10.0.0.15) is not in the valid range. The range of valid IPs is 10.0.0.0/28",
  );
  assert.deepEqual([operation.nextPort(), operation.nextPort()], [32769, 32770]);
  assert.equal(operation.allocatePort(32770), "provided port is already allocated");
});

test("node ports go from 30000 to 32767, and are given from 30086 on", () => {
  const ports = new NodePortAllocator({ random });
  assert.equal(ports.next(), 30086);
  for (const port of [30000, 32767]) assert.equal(typeof ports.allocate(port, undefined), "object");
  assert.equal(ports.allocate(30000, undefined), "provided port is already allocated");
  for (const port of [29999, 32768])
    assert.equal(ports.allocate(port, undefined), "provided port is not in the valid range. The range of valid ports is 30000-32767");
});
