import assert from "node:assert/strict";
import { test } from "node:test";
import { finalizer, plan, type ServiceCIDR } from "./plan.ts";

const deletedAt = Date.UTC(2026, 0, 1);
const lastTransitionTime = "2026-01-01T00:00:00Z";
const ready = { type: "Ready", status: "True", reason: "", message: "Kubernetes Service CIDR is ready", lastTransitionTime };
const terminating = {
  type: "Ready",
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
  lastTransitionTime,
};
const named = (name: string, ...cidrs: string[]): ServiceCIDR => ({ metadata: { name }, spec: { cidrs } });
const kept = (conditions: object[] = [ready]): ServiceCIDR =>
  ({
    metadata: { name: "a", finalizers: [finalizer] },
    spec: { cidrs: ["10.0.0.0/28", "fd00::/112"] },
    status: { conditions },
  }) as ServiceCIDR;
const deleted = (conditions: object[] = [ready]): ServiceCIDR => {
  const object = kept(conditions);
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
};
const later = 60_000;
const release = { do: "release" };

const cases = [
  {
    name: "a new one is protected and ready",
    object: named("a", "10.0.0.0/28"),
    expect: { do: "keep", addsFinalizer: true, condition: ready },
  },
  {
    name: "one that is protected and ready is left alone",
    object: kept(),
    expect: { do: "keep", addsFinalizer: false, condition: undefined },
  },
  {
    name: "that of the server is said to be ready in these words",
    object: kept([{ ...ready, message: "Kubernetes default Service CIDR is ready" }]),
    expect: { do: "keep", addsFinalizer: false, condition: ready },
  },
  {
    name: "one whose addresses are used stays",
    object: deleted(),
    addresses: ["fd00::7"],
    expect: { do: "keep", addsFinalizer: false, condition: terminating },
  },
  {
    name: "one that is said to stay is left alone",
    object: deleted([terminating]),
    addresses: ["10.0.0.3"],
    expect: { do: "keep", addsFinalizer: false, condition: undefined },
  },
  {
    name: "one whose addresses another has, too, goes",
    object: deleted(),
    others: [named("b", "10.0.0.0/24")],
    addresses: ["10.0.0.3"],
    atMs: later,
    expect: release,
  },
  {
    name: "one whose addresses another has in part stays",
    object: deleted(),
    others: [named("b", "10.0.0.0/30")],
    addresses: ["10.0.0.2", "10.0.0.9"],
    expect: { do: "keep", addsFinalizer: false, condition: terminating },
  },
  {
    name: "one whose ranges others have goes",
    object: deleted(),
    others: [named("b", "10.0.0.0/8"), named("c", "fd00::/64")],
    addresses: ["10.0.0.3"],
    atMs: later,
    expect: release,
  },
  {
    name: "one whose address is another's network goes not",
    object: deleted(),
    others: [named("b", "10.0.0.8/30")],
    addresses: ["10.0.0.8"],
    expect: { do: "keep", addsFinalizer: false, condition: terminating },
  },
  { name: "addresses of others do not count", object: deleted(), addresses: ["10.0.1.3", "fd01::1"], atMs: later, expect: release },
  { name: "one that is not used waits until every server knows", object: deleted(), atMs: 4_000, expect: { do: "wait", afterMs: 6_000 } },
  {
    name: "one that is let go of already is left alone",
    object: { ...deleted(), metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" } },
    atMs: later,
    expect: { do: "nothing" },
  },
];
for (const { name, object, others = [], addresses = [], atMs = 0, expect } of cases)
  test(`ServiceCIDRs: ${name}`, () =>
    assert.deepEqual(plan({ object, all: [object, ...others], addresses, nowMs: deletedAt + atMs }), expect));
