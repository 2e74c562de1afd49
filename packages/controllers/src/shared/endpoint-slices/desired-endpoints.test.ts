import assert from "node:assert/strict";
import { test } from "node:test";
import { podOf, serviceOf } from "../service-pods/service-under-test.ts";
import { addressTypesOf, desiredGroups, type ServiceWithPods } from "./desired-endpoints.ts";

const n1 = { metadata: { name: "n1", labels: { "topology.kubernetes.io/zone": "z1" } } };
const observed = (pods: ServiceWithPods["pods"], service = serviceOf()): ServiceWithPods => ({
  service,
  pods,
  nodeNamed: (name) => (name === "n1" ? n1 : undefined),
});
const only = (given: ServiceWithPods) => [...desiredGroups(given, "IPv4").values()].flatMap(({ endpoints }) => endpoints);

test("a ready Pod has an endpoint with its addresses, Node and zone", () => {
  assert.deepEqual(only(observed([podOf(1)])), [
    {
      addresses: ["10.1.0.1"],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: "Pod", namespace: "default", name: "web-1", uid: "pod-1" },
      nodeName: "n1",
      zone: "z1",
    },
  ]);
});

const conditions = [
  { name: "ready", options: {}, expect: [true, true, false] },
  { name: "not ready", options: { ready: false }, expect: [false, false, false] },
  { name: "ready and on its way out", options: { going: true }, expect: [false, true, true] },
  { name: "not ready, but wanted all the same", options: { ready: false }, publish: true, expect: [true, false, false] },
  { name: "on its way out, but wanted all the same", options: { going: true }, publish: true, expect: [true, true, true] },
  { name: "at its end", options: { phase: "Succeeded" }, expect: undefined },
  { name: "without an address", options: { ips: [] }, expect: undefined },
  { name: "on no Node that is known", options: { spec: { nodeName: "gone" } }, expect: undefined },
  {
    name: "on no Node that is known, but wanted all the same",
    options: { spec: { nodeName: "gone" } },
    publish: true,
    expect: [true, true, false],
  },
];
for (const { name, options, publish = false, expect } of conditions)
  test(`ready, serving and terminating of a Pod that is ${name}`, () => {
    const [endpoint] = only(observed([podOf(1, options as object)], serviceOf({ publishNotReadyAddresses: publish })));
    const shown = endpoint?.conditions;
    assert.deepEqual(shown === undefined ? undefined : [shown.ready, shown.serving, shown.terminating], expect);
  });

test("each family has its own addresses, in one spelling", () => {
  const pods = [podOf(1, { ips: ["10.1.0.1", "FD00:0::1"] })];
  const addresses = (type: "IPv4" | "IPv6") =>
    [...desiredGroups(observed(pods), type).values()].flatMap(({ endpoints }) => endpoints.map((one) => one.addresses));
  assert.deepEqual([addresses("IPv4"), addresses("IPv6")], [[["10.1.0.1"]], [["fd00::1"]]]);
});

const families = [
  { name: "its own", spec: { ipFamilies: ["IPv6", "IPv4"] }, expect: ["IPv6", "IPv4"] },
  { name: "that of its address where it names none", spec: { ipFamilies: [], clusterIP: "fd00::1" }, expect: ["IPv6"] },
  { name: "both where it has no address either", spec: { ipFamilies: [], clusterIP: "None" }, expect: ["IPv4", "IPv6"] },
];
for (const { name, spec, expect } of families)
  test(`the families of a Service are ${name}`, () => assert.deepEqual(addressTypesOf(serviceOf(spec)), expect));

test("Pods that name a port differently are in groups of their own, and one that does not have it in one without", () => {
  const service = serviceOf({ ports: [{ name: "http", port: 80, targetPort: "web", protocol: "TCP" }] });
  const listening = (n: number, port: number) =>
    podOf(n, { spec: { containers: [{ name: "c", ports: [{ name: "web", containerPort: port, protocol: "TCP" }] }], nodeName: "n1" } });
  const sidecar = { name: "s", restartPolicy: "Always", ports: [{ name: "web", containerPort: 3000, protocol: "TCP" }] };
  const pods = [
    listening(1, 3000),
    listening(2, 4000),
    podOf(3, { spec: { nodeName: "n1", containers: [], initContainers: [sidecar] } }),
    podOf(4, { spec: { nodeName: "n1", containers: [] } }),
  ];
  const groups = [...desiredGroups(observed(pods, service), "IPv4").values()];
  const shown = groups.map(({ ports, endpoints }) => [ports.map(({ port }) => port), endpoints.map(({ targetRef }) => targetRef?.name)]);
  assert.deepEqual(shown, [
    [[3000], ["web-1", "web-3"]],
    [[4000], ["web-2"]],
    [[], ["web-4"]],
  ]);
});

test("a Pod with a hostname in the domain of the Service has it in its endpoint", () => {
  const pods = [
    podOf(1, { spec: { nodeName: "n1", containers: [], hostname: "db", subdomain: "web" } }),
    podOf(2, { spec: { nodeName: "n1", containers: [], hostname: "db", subdomain: "other" } }),
  ];
  assert.deepEqual(
    only(observed(pods)).map(({ hostname }) => hostname),
    ["db", undefined],
  );
});
