import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs } from "../../kind-under-test.ts";
import { endpoints } from "../endpoints/strategy.ts";
import { serviceAccount } from "../service-account/strategy.ts";
import { event } from "./strategy.ts";

const metadata = { name: "e", namespace: "ns", creationTimestamp: "2026-01-01T00:00:00Z" };
const mismatch = (namespace: string) => `involvedObject.namespace: Invalid value: "${namespace}": does not match event.namespace`;
const recorded = {
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingComponent: "example.com/c",
  reportingInstance: "i",
  action: "A",
  reason: "R",
};

const events = [
  { name: "it lives beside its object", body: { involvedObject: { namespace: "ns" } }, expect: [] },
  { name: "not elsewhere", body: { involvedObject: { namespace: "other" } }, expect: [mismatch("other")] },
  {
    name: "cluster-scoped objects have theirs in default",
    body: { metadata: { ...metadata, namespace: "default" }, involvedObject: {} },
    expect: [],
  },
  { name: "and nowhere else", body: { involvedObject: {} }, expect: [mismatch("")] },
  { name: "a new one may live elsewhere", body: { ...recorded, involvedObject: { namespace: "other" } }, expect: [] },
  {
    name: "a new one says more",
    body: { eventTime: recorded.eventTime, involvedObject: { namespace: "ns" }, reportingComponent: "c", action: "a".repeat(129) },
    expect: ["reportingInstance: Required value", 'action: Invalid value: "": can have at most 128 characters', "reason: Required value"],
  },
];
for (const { name, body, expect } of events)
  test(`an event: ${name}`, () => assert.deepEqual(createdAs(event, { metadata, ...body }).problems, expect));

const now = Date.parse("2026-01-01T00:10:00Z");
const rows = [
  {
    name: "an event of the old kind",
    body: {
      involvedObject: { kind: "Pod", name: "p", fieldPath: "spec.containers{c}" },
      ...{
        type: "Normal",
        reason: "Pulled",
        message: " done\n",
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:09:00Z",
        count: 3,
      },
      source: { component: "kubelet", host: "n" },
    },
    expect: ["60s", "Normal", "Pulled", "pod/p", "spec.containers{c}", "kubelet, n", "done", "10m", 3, "e"],
  },
  {
    name: "a series",
    body: { ...recorded, involvedObject: { kind: "Node" }, series: { count: 7, lastObservedTime: "2026-01-01T00:05:00.000000Z" } },
    expect: ["5m", "", "R", "node", "", "example.com/c, i", "", "10m", 7, "e"],
  },
  { name: "an event without times", body: { involvedObject: {} }, expect: ["<unknown>", "", "", "", "", "", "", "<unknown>", 1, "e"] },
];
for (const { name, body, expect } of rows)
  test(`shows ${name}`, () => assert.deepEqual(event.columns?.cells(createdAs(event, { metadata, ...body }).object, now), expect));

test("an event is found by its reporter when it has no source", () => {
  const fields = event.selectableFields?.(createdAs(event, { metadata, involvedObject: { kind: "Pod" }, reportingComponent: "c" }).object);
  assert.deepEqual([fields?.source, fields?.["involvedObject.kind"], fields?.["involvedObject.uid"]], ["c", "Pod", ""]);
});

const address = { ip: "10.0.0.1" };
const subsets = [
  { name: "no address", subset: {}, expect: ["subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"] },
  {
    name: "an address that leads nowhere",
    subset: { addresses: [{ ip: "169.254.0.1" }] },
    expect: ['subsets[0].addresses[0].ip: Invalid value: "169.254.0.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  },
  {
    name: "nameless ports",
    subset: { addresses: [address], ports: [{ port: 1 }, { port: 2, name: "b" }] },
    expect: ["subsets[0].ports[0].name: Required value"],
  },
];
for (const { name, subset, expect } of subsets)
  test(`endpoints: refuses ${name}`, () => assert.deepEqual(createdAs(endpoints, { subsets: [subset] }).problems, expect));

const shown = [
  { subsets: [], expect: "<none>" },
  { subsets: [{ addresses: [address], ports: [{ port: 80 }] }], expect: "10.0.0.1:80" },
  {
    subsets: [{ addresses: [{ ip: "fd00::1" }, address], ports: [{ port: 80 }, { port: 81 }] }],
    expect: "[fd00::1]:80,10.0.0.1:80,[fd00::1]:81 + 1 more...",
  },
  { subsets: [{ addresses: [address] }], expect: "10.0.0.1" },
];
for (const { subsets: parts, expect } of shown)
  test(`endpoints: shows ${expect}`, () => assert.equal(endpoints.columns?.cells({ metadata, subsets: parts }, now)[1], expect));

test("of a service account's secrets only the names count", () => {
  const { object } = createdAs(serviceAccount, { metadata, secrets: [{ name: "s", kind: "Secret", uid: "1" }] });
  assert.deepEqual(object.secrets, [{ name: "s" }]);
});

test("endpoints: many ports of many addresses are counted, not listed", () => {
  const many = Array.from({ length: 20_000 }, (_, i) => i);
  const subset = { addresses: many.map(() => address), ports: many.map((port) => ({ port })) };
  assert.equal(endpoints.columns?.cells({ metadata, subsets: [subset] }, now)[1], "10.0.0.1:0,10.0.0.1:0,10.0.0.1:0 + 399999997 more...");
});
