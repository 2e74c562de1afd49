import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint } from "../shared/endpoint-slices/desired-endpoints.ts";
import { serviceOf } from "../shared/service-pods/service-under-test.ts";
import { HintLedger, hint } from "./hinting.ts";
import { zoneShares } from "./zone-shares.ts";

const endpoint = (n: number, zone: string | undefined, ready = true): Endpoint => ({
  addresses: [`10.0.0.${n}`],
  conditions: { ready },
  nodeName: `n${n}`,
  ...(zone === undefined ? {} : { zone }),
});
const inOneSlice = (endpoints: Endpoint[]) => ({ create: [{ addressType: "IPv4", endpoints }], update: [], keep: [], delete: [] });
const halves = new Map([
  ["a", 0.5],
  ["b", 0.5],
]);

interface Case {
  readonly name: string;
  readonly annotation?: string;
  readonly distribution?: string;
  readonly endpoints: Endpoint[];
  readonly shares?: ReadonlyMap<string, number>;
  readonly expect: readonly string[];
  readonly says?: string;
}
const cases: Case[] = [
  {
    name: "without the annotation there are no hints",
    endpoints: [{ ...endpoint(1, "a"), hints: { forZones: [{ name: "a" }] } }],
    expect: [""],
  },
  {
    name: "PreferClose: its own zone",
    distribution: "PreferClose",
    endpoints: [endpoint(1, "a"), endpoint(2, undefined)],
    expect: ["a", ""],
  },
  { name: "PreferSameNode: its own node, then its zone", distribution: "PreferSameNode", endpoints: [endpoint(1, "a")], expect: ["a n1"] },
  { name: "who is not ready gets none", distribution: "PreferSameZone", endpoints: [endpoint(1, "a", false)], expect: [""] },
  {
    name: "Auto: its own zone where the shares fit",
    annotation: "Auto",
    endpoints: [endpoint(1, "a"), endpoint(2, "b")],
    shares: halves,
    expect: ["a", "b"],
    says: "Topology Aware Hints has been enabled, addressType: IPv4",
  },
  {
    name: "Auto: some serve a zone that has too few",
    annotation: "Auto",
    endpoints: [1, 2, 3, 4].map((n) => endpoint(n, n < 4 ? "a" : "b")),
    shares: halves,
    expect: ["b", "a", "a", "b"],
    says: "Topology Aware Hints has been enabled, addressType: IPv4",
  },
  {
    name: "Auto: no hints where Nodes lack zone or CPUs",
    annotation: "auto",
    endpoints: [endpoint(1, "a")],
    expect: [""],
    says: "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4",
  },
  {
    name: "Auto: not with fewer endpoints than zones",
    annotation: "Auto",
    endpoints: [endpoint(1, "a")],
    shares: halves,
    expect: [""],
    says: "Insufficient number of endpoints (1 endpoints, 2 zones), addressType: IPv4",
  },
  {
    name: "Auto: not where a zone would have to bear too much",
    annotation: "Auto",
    endpoints: [1, 2, 3].map((n) => endpoint(n, "a")),
    shares: halves,
    expect: ["", "", ""],
    says: "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones), addressType: IPv4",
  },
  {
    name: "Auto: not for endpoints without a zone",
    annotation: "Auto",
    endpoints: [endpoint(1, "a"), endpoint(2, undefined)],
    shares: halves,
    expect: ["", ""],
    says: "One or more endpoints do not have a zone specified, addressType: IPv4",
  },
];
for (const { name, annotation, distribution, endpoints, shares, expect, says } of cases)
  test(name, () => {
    const service = serviceOf(
      distribution === undefined ? {} : { trafficDistribution: distribution },
      annotation === undefined ? {} : { annotations: { "service.kubernetes.io/topology-mode": annotation } },
    );
    const { slices, events } = hint(service, { addressType: "IPv4", slices: inOneSlice(endpoints), shares }, new HintLedger());
    const shown = (slices.create[0]?.endpoints ?? []).map(({ hints }) =>
      [...(hints?.forZones ?? []), ...(hints?.forNodes ?? [])].map((one) => one.name).join(" "),
    );
    assert.deepEqual(shown, expect);
    assert.equal(events[0]?.message, says);
  });

test("slices with hints that are right are left alone, and those with wrong ones written", () => {
  const near = serviceOf({ trafficDistribution: "PreferClose" });
  const right = { addressType: "IPv4", endpoints: [{ ...endpoint(1, "a"), hints: { forZones: [{ name: "a" }] } }] };
  const wrong = { addressType: "IPv4", endpoints: [endpoint(2, "a")] };
  const { slices } = hint(
    near,
    { addressType: "IPv4", slices: { create: [], update: [], keep: [right, wrong], delete: [] }, shares: undefined },
    new HintLedger(),
  );
  assert.deepEqual([slices.keep.length, slices.update.length], [1, 1]);
});

test("a Service that no longer wants topology hints loses them, with an Event", () => {
  const ledger = new HintLedger();
  const both = inOneSlice([endpoint(1, "a"), endpoint(2, "b")]);
  const auto = serviceOf({}, { annotations: { "service.kubernetes.io/topology-mode": "Auto" } });
  hint(auto, { addressType: "IPv4", slices: both, shares: halves }, ledger);
  assert.deepEqual(hint(auto, { addressType: "IPv4", slices: both, shares: halves }, ledger).events, []);
  assert.deepEqual(ledger.overloaded(halves), []);
  assert.deepEqual(ledger.overloaded(undefined), [{ namespace: "default", name: "web" }]);
  const { events } = hint(serviceOf(), { addressType: "IPv4", slices: both, shares: undefined }, ledger);
  assert.deepEqual(
    events.map(({ message }) => message),
    ["Topology Aware Hints has been disabled, addressType: IPv4"],
  );
});

const node = (zone: string, cpu: string, ready = "True", labels = {}) => ({
  metadata: { labels: { "topology.kubernetes.io/zone": zone, ...labels } },
  status: { allocatable: { cpu }, conditions: [{ type: "Ready", status: ready }] },
});
const shareCases = [
  {
    name: "by CPUs",
    nodes: [node("a", "3"), node("b", "500m"), node("b", "500m")],
    expect: [
      ["a", 0.75],
      ["b", 0.25],
    ],
  },
  {
    name: "of Nodes that are ready and no control plane",
    nodes: [
      node("a", "1"),
      node("b", "1"),
      node("b", "1", "False"),
      node("b", "1", "True", { "node-role.kubernetes.io/control-plane": "" }),
    ],
    expect: [
      ["a", 0.5],
      ["b", 0.5],
    ],
  },
  { name: "unknown with one zone", nodes: [node("a", "1")], expect: undefined },
  { name: "unknown while one Node lacks its zone", nodes: [node("a", "1"), node("b", "1"), node("", "1")], expect: undefined },
];
for (const { name, nodes, expect } of shareCases)
  test(`shares of zones: ${name}`, () => {
    const shares = zoneShares(nodes);
    assert.deepEqual(shares && [...shares], expect);
  });
