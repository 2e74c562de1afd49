import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceSpec } from "@coxswain/types/core-v1";
import { createdAs, statusUpdatedAs, updatedAs } from "../../kind-under-test.ts";
import { service } from "./strategy.ts";

const port = { port: 80 };
const of = (spec: object, meta: object = {}) => ({ metadata: { name: "s", namespace: "ns", ...meta }, spec });
const specOf = (spec: object): ServiceSpec => createdAs(service, of(spec)).object.spec ?? {};

test("a port gets a protocol and a target", () => {
  assert.deepEqual(specOf({ ports: [port, { name: "dns", port: 53, protocol: "UDP", targetPort: "dns" }] }).ports, [
    { port: 80, protocol: "TCP", targetPort: 80 },
    { name: "dns", port: 53, protocol: "UDP", targetPort: "dns" },
  ]);
});

test("client affinity lasts three hours unless asked otherwise", () => {
  assert.deepEqual(specOf({ ports: [port], sessionAffinity: "ClientIP" }).sessionAffinityConfig, { clientIP: { timeoutSeconds: 10800 } });
});

test("a load balancer takes node ports and any traffic", () => {
  const { allocateLoadBalancerNodePorts, externalTrafficPolicy, internalTrafficPolicy } = specOf({ type: "LoadBalancer", ports: [port] });
  assert.deepEqual([allocateLoadBalancerNodePorts, externalTrafficPolicy, internalTrafficPolicy], [true, "Cluster", "Cluster"]);
});

const refused = [
  { name: "no ports", spec: {}, expect: ["spec.ports: Required value"] },
  {
    name: "several ports need names",
    spec: { ports: [port, { port: 81 }] },
    expect: ["spec.ports[0].name: Required value", "spec.ports[1].name: Required value"],
  },
  {
    name: "names and port numbers are unique",
    spec: {
      ports: [
        { ...port, name: "a" },
        { ...port, name: "a" },
      ],
    },
    expect: [
      'spec.ports[1].name: Duplicate value: "a"',
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
  },
  {
    name: "a node port on a cluster IP",
    spec: { ports: [{ ...port, nodePort: 30000 }] },
    expect: ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  },
  {
    name: "a headless node port service",
    spec: { type: "NodePort", clusterIP: "None", selector: { a: "b" }, ports: [port] },
    expect: [`spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services`],
  },
  { name: "an external name that is none", spec: { type: "ExternalName" }, expect: ["spec.externalName: Required value"] },
  {
    name: "two addresses of one family",
    spec: {
      ports: [port],
      clusterIP: "10.0.0.1",
      clusterIPs: ["10.0.0.1", "10.0.0.2"],
      ipFamilyPolicy: "PreferDualStack",
      ipFamilies: ["IPv4"],
    },
    expect: ['spec.clusterIPs: Invalid value: ["10.0.0.1","10.0.0.2"]: may specify no more than one IP for each IP family'],
  },
  {
    name: "an address of the other family",
    spec: { ports: [port], clusterIP: "fd00::1", ipFamilies: ["IPv4"] },
    expect: ['spec.clusterIPs[0]: Invalid value: "fd00::1": expected an IPv4 value as indicated by `ipFamilies[0]`'],
  },
  {
    name: "loopback from outside",
    spec: { ports: [port], externalIPs: ["127.0.0.1"] },
    expect: ['spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  },
  {
    name: "leading zeros",
    spec: { ports: [port], externalIPs: ["10.0.0.01"] },
    expect: ['spec.externalIPs[0]: Invalid value: "10.0.0.01": must not have leading 0s'],
  },
  {
    name: "what only load balancers have",
    spec: { ports: [port], loadBalancerClass: "a", loadBalancerSourceRanges: ["10.0.0.0/8"], externalTrafficPolicy: "Local" },
    expect: [
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ],
  },
  {
    name: "an affinity of two days",
    spec: { ports: [port], sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 172800 } } },
    expect: ["spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 172800: must be greater than 0 and less than 86400"],
  },
];
for (const { name, spec, expect } of refused)
  test(`refuses ${name}`, () => assert.deepEqual(createdAs(service, of(spec)).problems, expect));

const allocated = {
  type: "NodePort",
  clusterIP: "10.96.0.7",
  clusterIPs: ["10.96.0.7"],
  ports: [
    { name: "a", port: 80, nodePort: 30080 },
    { name: "b", port: 81, nodePort: 30081 },
  ],
};
const stored = createdAs(service, of(allocated)).object;

const updates = [
  {
    name: "what the server handed out stays when left out",
    spec: { type: "NodePort", ports: [{ name: "a", port: 8080 }] },
    expect: { clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7"], nodePorts: [30080], problems: [] },
  },
  {
    name: "a node port that moved to another port is not given twice",
    spec: {
      ...allocated,
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 81, nodePort: 30080 },
      ],
    },
    expect: { clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7"], nodePorts: [undefined, 30080], problems: [] },
  },
  {
    name: "node ports go with the type",
    spec: { ...allocated, type: "ClusterIP" },
    expect: { clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7"], nodePorts: [undefined, undefined], problems: [] },
  },
  {
    name: "an external name has no address",
    spec: { ...allocated, ports: [], type: "ExternalName", externalName: "a.example.com" },
    expect: { clusterIP: undefined, clusterIPs: undefined, nodePorts: [], problems: [] },
  },
  {
    name: "an address may not be exchanged",
    spec: { ...allocated, clusterIP: "10.96.0.8" },
    expect: {
      clusterIP: "10.96.0.8",
      clusterIPs: ["10.96.0.8"],
      nodePorts: [30080, 30081],
      problems: ['spec.clusterIPs[0]: Invalid value: ["10.96.0.8"]: may not change once set'],
    },
  },
];
for (const { name, spec, expect } of updates)
  test(name, () => {
    const { object, problems } = updatedAs(service, stored, of({ ...spec, ipFamilies: stored.spec?.ipFamilies }));
    const { clusterIP, clusterIPs, ports = [] } = object.spec ?? {};
    assert.deepEqual({ clusterIP, clusterIPs, nodePorts: ports.map((p) => p.nodePort), problems }, expect);
  });

test("only load balancers have a status", () => {
  const ingress = [{ ip: "10.0.0.1", ipMode: "VIP" }];
  assert.deepEqual(statusUpdatedAs(service, stored, { loadBalancer: { ingress } }).problems, [
    "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
  ]);
});

test("warns of what is ignored", () => {
  const { warnings } = createdAs(
    service,
    of({ clusterIP: "None", loadBalancerIP: "010.0.0.1", externalName: "x", trafficDistribution: "PreferClose" }),
  );
  assert.deepEqual(warnings, [
    "spec.loadBalancerIP is ignored for headless services",
    'spec.loadBalancerIP: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
    'spec.externalName is ignored when spec.type is not "ExternalName"',
    'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
  ]);
});

const now = Date.parse("2026-01-01T01:00:00Z");
const ports = [
  { name: "a", port: 80, nodePort: 30080, protocol: "TCP" },
  { name: "b", port: 53, protocol: "UDP" },
];
const rows = [
  {
    spec: { type: "NodePort", clusterIPs: ["10.0.0.1"], ports },
    expect: ["NodePort", "10.0.0.1", "<none>", "80:30080/TCP,53/UDP", "60m", "<none>"],
  },
  {
    spec: { type: "LoadBalancer", clusterIPs: ["10.0.0.1"], ports: [] },
    expect: ["LoadBalancer", "10.0.0.1", "<pending>", "<none>", "60m", "<none>"],
  },
  {
    spec: { type: "ExternalName", externalName: "a.example.com", selector: { b: "2", a: "1" } },
    expect: ["ExternalName", "<none>", "a.example.com", "<none>", "60m", "a=1,b=2"],
  },
];
for (const { spec, expect } of rows)
  test(`shows a ${spec.type} service`, () =>
    assert.deepEqual(service.columns?.cells({ metadata: { name: "s", creationTimestamp: "2026-01-01T00:00:00Z" }, spec }, now), [
      "s",
      ...expect,
    ]));

test("shows what a load balancer got", () => {
  const status = { loadBalancer: { ingress: [{ hostname: "b.example.com" }, { ip: "10.0.0.9" }] } };
  assert.equal(
    service.columns?.cells({ metadata: {}, spec: { type: "LoadBalancer", externalIPs: ["1.2.3.4"] }, status }, now)[3],
    "10.0.0.9,b.example.com,1.2.3.4",
  );
});
