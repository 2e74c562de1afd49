import assert from "node:assert/strict";
import { test } from "node:test";
import { podOf, serviceOf } from "../shared/service-pods/service-under-test.ts";
import { nextEndpoints, plan } from "./plan.ts";

const time = "2026-01-01T00:10:00Z";
const next = (pods: ReturnType<typeof podOf>[], service = serviceOf(), current?: ReturnType<typeof nextEndpoints>) =>
  nextEndpoints({ service, pods, time }, current);
const shown = (endpoints: ReturnType<typeof nextEndpoints>) =>
  (endpoints?.subsets ?? []).map(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    [addresses, notReadyAddresses]
      .map((list) => list.map(({ ip }) => ip).join(" "))
      .concat(ports.map(({ name, port }) => `${name ?? ""}:${port}`)),
  );

test("Endpoints name each Pod, its Node and its ports", () => {
  const endpoints = next([podOf(1)], serviceOf({}, { labels: { team: "a" } }));
  assert.deepEqual(endpoints, {
    metadata: {
      namespace: "default",
      name: "web",
      labels: { team: "a", "endpoints.kubernetes.io/managed-by": "endpoint-controller" },
      annotations: { "endpoints.kubernetes.io/last-change-trigger-time": time },
    },
    subsets: [
      {
        addresses: [{ ip: "10.1.0.1", nodeName: "n1", targetRef: { kind: "Pod", namespace: "default", name: "web-1", uid: "pod-1" } }],
        ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      },
    ],
  });
});

const named = {
  ports: [
    { name: "a", port: 80, targetPort: 8080 },
    { name: "w", port: 81, targetPort: "web" },
  ],
};
const cases = [
  {
    name: "who is not ready stands apart",
    pods: [podOf(2), podOf(1), podOf(3, { ready: false })],
    expect: [["10.1.0.1 10.1.0.2", "10.1.0.3", "http:8080"]],
  },
  { name: "a Pod that is being deleted is left out", pods: [podOf(1), podOf(2, { going: true })], expect: [["10.1.0.1", "", "http:8080"]] },
  {
    name: "unless all are wanted, and then as ready",
    pods: [podOf(1, { ready: false }), podOf(2, { going: true })],
    spec: { publishNotReadyAddresses: true },
    expect: [["10.1.0.1 10.1.0.2", "", "http:8080"]],
  },
  { name: "a headless Service may have no ports", pods: [podOf(1)], spec: { clusterIP: "None", ports: [] }, expect: [["10.1.0.1", ""]] },
  { name: "another Service without ports has no subsets", pods: [podOf(1)], spec: { ports: [] }, expect: [] },
  {
    name: "the address is of the first family",
    pods: [podOf(1, { ips: ["10.1.0.1", "fd00::1"] })],
    spec: { ipFamilies: ["IPv6", "IPv4"] },
    expect: [["fd00::1", "", "http:8080"]],
  },
  { name: "a Pod without an address of the family is left out", pods: [podOf(1)], spec: { ipFamilies: ["IPv6"] }, expect: [] },
  {
    name: "Pods with the same ports stand together",
    pods: [podOf(1), podOf(2)],
    spec: named,
    expect: [["10.1.0.1 10.1.0.2", "", "w:3000", "a:8080"]],
  },
];
for (const { name, pods, spec, expect } of cases) test(name, () => assert.deepEqual(shown(next(pods, serviceOf(spec))), expect));

test("Pods without a port that others have are in a subset of their own", () => {
  const without = podOf(2, { spec: { nodeName: "n1", containers: [] } });
  const subsets = shown(next([podOf(1), without], serviceOf(named)));
  assert.deepEqual(subsets, [
    ["10.1.0.1", "", "w:3000"],
    ["10.1.0.1 10.1.0.2", "", "a:8080"],
  ]);
});

const current = next([podOf(1)]);
const changes = [
  { name: "Endpoints that are up to date are not written", pods: [podOf(1)], written: false },
  { name: "another Pod is", pods: [podOf(1), podOf(2)], written: true },
  { name: "and other labels are", pods: [podOf(1)], service: serviceOf({}, { labels: { team: "b" } }), written: true },
  {
    name: "an old note of too many addresses goes",
    pods: [podOf(1)],
    current: { ...current, metadata: { ...current?.metadata, annotations: { "endpoints.kubernetes.io/over-capacity": "truncated" } } },
    written: true,
  },
  {
    name: "whoever else made it gets the controller's label",
    pods: [podOf(1)],
    current: { ...current, metadata: { name: "web" } },
    written: true,
  },
];
for (const { name, pods, service, written, current: before = current } of changes)
  test(name, () => {
    const endpoints = next(pods, service, before);
    assert.equal(endpoints !== undefined, written);
    assert.equal(endpoints?.metadata?.annotations?.["endpoints.kubernetes.io/over-capacity"], undefined);
  });

const many = Array.from({ length: 1200 }, (_, n) => podOf(n, { ready: n >= 300 }));
test("Endpoints have at most a thousand addresses, ready ones first", () => {
  const endpoints = next(many);
  const [subset] = endpoints?.subsets ?? [];
  assert.deepEqual([subset?.addresses?.length, subset?.notReadyAddresses?.length], [900, 100]);
  assert.equal(endpoints?.metadata?.annotations?.["endpoints.kubernetes.io/over-capacity"], "truncated");
  const [all] = next(Array.from({ length: 1200 }, (_, n) => podOf(n, { ready: n >= 100 })))?.subsets ?? [];
  assert.deepEqual([all?.addresses?.length, all?.notReadyAddresses], [1000, undefined]);
});

test("Endpoints are created, updated and deleted as their Service and its Pods need it", () => {
  const service = serviceOf();
  const current = next([podOf(1)]);
  assert.equal(plan({ service, pods: [podOf(1)], time, current: undefined }).do, "create");
  assert.equal(plan({ service, pods: [podOf(1)], time, current }).do, "nothing");
  assert.equal(plan({ service, pods: [podOf(2)], time, current }).do, "update");
  assert.equal(plan({ service: undefined, current }).do, "delete");
  assert.equal(plan({ service: undefined, current: undefined }).do, "nothing");
});
