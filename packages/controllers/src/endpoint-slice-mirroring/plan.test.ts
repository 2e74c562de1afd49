import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointSlice } from "../shared/endpoint-slices/pack.ts";
import type { Endpoints } from "../shared/endpoint-slices/subsets.ts";
import { plan, planMirror } from "./plan.ts";

const metadata = { namespace: "default", name: "db", uid: "e1" };
const of = (subsets: Endpoints["subsets"], more: Endpoints["metadata"] = {}): Endpoints => ({
  metadata: { ...metadata, ...more },
  ...(subsets && { subsets }),
});
const port = [{ port: 80, protocol: "TCP" }];
const one = of([{ addresses: [{ ip: "10.0.0.1" }], ports: port }]);
let names = 0;
const made = (endpoints: Endpoints): EndpointSlice[] =>
  planMirror(endpoints, []).create.map((slice) => ({ ...slice, metadata: { ...slice.metadata, name: `db-${++names}`, uid: `u${names}` } }));

test("a slice says what the Endpoints say, and belongs to them", () => {
  const annotations = {
    a: "b",
    "endpoints.kubernetes.io/last-change-trigger-time": "now",
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
  };
  const subsets = [
    {
      addresses: [{ ip: "10.0.0.2" }, { ip: "10.0.0.1", hostname: "h", nodeName: "n1" }],
      notReadyAddresses: [{ ip: "10.0.0.3" }],
      ports: port,
    },
  ];
  assert.deepEqual(planMirror(of(subsets, { labels: { x: "y" }, annotations }), []).create, [
    {
      metadata: {
        generateName: "db-",
        namespace: "default",
        labels: {
          x: "y",
          "kubernetes.io/service-name": "db",
          "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
        },
        annotations: { a: "b" },
        ownerReferences: [{ apiVersion: "v1", kind: "Endpoints", name: "db", uid: "e1", controller: true, blockOwnerDeletion: true }],
      },
      addressType: "IPv4",
      ports: [{ name: "", port: 80, protocol: "TCP" }],
      endpoints: [
        { addresses: ["10.0.0.1"], conditions: { ready: true }, hostname: "h", nodeName: "n1" },
        { addresses: ["10.0.0.2"], conditions: { ready: true } },
        { addresses: ["10.0.0.3"], conditions: { ready: false } },
      ],
    },
  ]);
});

const cases = [
  {
    name: "each family has a slice",
    given: of([{ addresses: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }], ports: port }]),
    existing: [],
    expect: [2, 0, 0, 0, 0],
  },
  {
    name: "each set of ports has one",
    given: of([
      { addresses: [{ ip: "10.0.0.1" }], ports: port },
      { addresses: [{ ip: "10.0.0.2" }], ports: [{ port: 81 }] },
    ]),
    existing: [],
    expect: [2, 0, 0, 0, 0],
  },
  { name: "what is mirrored already is not written", given: one, existing: made(one), expect: [0, 0, 0, 0, 0] },
  {
    name: "another address is",
    given: of([{ addresses: [{ ip: "10.0.0.2" }], ports: port }]),
    existing: made(one),
    expect: [0, 1, 0, 0, 0],
  },
  { name: "other labels are", given: of(one.subsets, { labels: { x: "z" } }), existing: made(one), expect: [0, 1, 0, 0, 0] },
  {
    name: "other ports take the slice of those that are gone",
    given: of([{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 81 }] }]),
    existing: made(one),
    expect: [0, 1, 0, 0, 0],
  },
  { name: "without addresses there is nothing to mirror", given: of([]), existing: made(one), expect: [0, 0, 1, 0, 0] },
  {
    name: "slices of Endpoints that had the name before are taken over",
    given: of(one.subsets, { uid: "e2" }),
    existing: made(one),
    expect: [0, 1, 0, 0, 0],
  },
  {
    name: "what is no address is left out",
    given: of([{ addresses: [{ ip: "10.0.0.1" }, { ip: "nowhere" }], ports: port }]),
    existing: made(one),
    expect: [0, 0, 0, 1, 1],
  },
  {
    name: "of each subset a thousand addresses are mirrored",
    given: of([{ addresses: Array.from({ length: 1100 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` })), ports: port }]),
    existing: [],
    expect: [1, 0, 0, 0, 100],
  },
];
for (const { name, given, existing, expect } of cases)
  test(name, () => {
    const plan = planMirror(given, existing);
    assert.deepEqual([plan.create.length, plan.update.length, plan.delete.length, plan.invalid, plan.skipped], expect);
  });

test("where nothing is to be mirrored every mirror is deleted", () => {
  const slices = made(one);
  assert.deepEqual(plan({ endpoints: undefined, slices }), { create: [], update: [], delete: slices, invalid: 0, skipped: 0 });
  assert.deepEqual(plan({ endpoints: one, slices }).delete, []);
});
