import assert from "node:assert/strict";
import { test } from "node:test";
import { service, slice } from "../ruleset/rules-under-test.ts";
import { categorizeEndpoints } from "./categorize-endpoints.ts";
import { endpointsOf } from "./endpoint.ts";
import { type ServicePort, servicePortsOf } from "./service-port.ts";

interface Spec {
  readonly ip: string;
  readonly nodeName?: string;
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
  readonly zones?: readonly string[];
  readonly nodes?: readonly string[];
}

const port = (spec: object = {}): ServicePort => servicePortsOf(service("s", spec), "IPv4")[0] as ServicePort;
const named = (names: readonly string[] = []) => names.map((name) => ({ name }));
const endpoints = (specs: readonly Spec[]) =>
  endpointsOf(
    [
      slice(
        "s",
        specs.map(({ ip, nodeName = "n1", ready = true, serving = ready, terminating = false, zones, nodes }) => ({
          addresses: [ip],
          nodeName,
          conditions: { ready, serving, terminating },
          hints: { forZones: named(zones), forNodes: named(nodes) },
        })),
      ),
    ],
    "IPv4",
    "n1",
  ).get("tcp/web") ?? [];

const ending = { ready: false, serving: true, terminating: true };
const nodePortLocal = { type: "NodePort", externalTrafficPolicy: "Local", ports: [{ name: "web", port: 80, nodePort: 30080 }] };

const cases = [
  { name: "ready ones", specs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2", ready: false }], cluster: ["10.0.0.1"], local: [], hasAny: true },
  { name: "those that end, where none is ready", specs: [{ ip: "10.0.0.1", ...ending }], cluster: ["10.0.0.1"], local: [], hasAny: true },
  {
    name: "none that ends and serves no more",
    specs: [{ ip: "10.0.0.1", ...ending, serving: false }],
    cluster: [],
    local: [],
    hasAny: false,
  },
  {
    name: "those for this zone",
    specs: [
      { ip: "10.0.0.1", zones: ["z1"] },
      { ip: "10.0.0.2", zones: ["z2"] },
    ],
    cluster: ["10.0.0.1"],
    local: [],
    hasAny: true,
  },
  {
    name: "all, where one has no hint",
    specs: [{ ip: "10.0.0.1", zones: ["z1"] }, { ip: "10.0.0.2" }],
    cluster: ["10.0.0.1", "10.0.0.2"],
    local: [],
    hasAny: true,
  },
  {
    name: "those for this node before those for its zone",
    specs: [
      { ip: "10.0.0.1", zones: ["z1"], nodes: ["n2"] },
      { ip: "10.0.0.2", zones: ["z1"], nodes: ["n1"] },
    ],
    cluster: ["10.0.0.2"],
    local: [],
    hasAny: true,
  },
  {
    name: "those for the zone, where none is for this node",
    specs: [
      { ip: "10.0.0.1", zones: ["z1"], nodes: ["n2"] },
      { ip: "10.0.0.2", zones: ["z2"], nodes: ["n3"] },
    ],
    cluster: ["10.0.0.1"],
    local: [],
    hasAny: true,
  },
  {
    name: "with an internal policy Local those of this node",
    spec: { internalTrafficPolicy: "Local" },
    specs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2", nodeName: "n2" }],
    cluster: [],
    local: ["10.0.0.1"],
    hasAny: true,
  },
  {
    name: "with an external policy Local both, and hints do not count for those of this node",
    spec: nodePortLocal,
    specs: [
      { ip: "10.0.0.1", zones: ["z2"] },
      { ip: "10.0.0.2", nodeName: "n2", zones: ["z1"] },
    ],
    cluster: ["10.0.0.2"],
    local: ["10.0.0.1"],
    hasAny: true,
  },
  {
    name: "with an external policy Local one of this node that ends, beside ready ones elsewhere",
    spec: nodePortLocal,
    specs: [
      { ip: "10.0.0.1", ...ending },
      { ip: "10.0.0.2", nodeName: "n2" },
    ],
    cluster: ["10.0.0.2"],
    local: ["10.0.0.1"],
    hasAny: true,
  },
];

for (const { name, spec, specs, cluster, local, hasAny } of cases)
  test(`chosen endpoints: ${name}`, () => {
    const found = categorizeEndpoints(endpoints(specs), port(spec), { nodeName: "n1", zone: "z1" });
    const ips = (list: readonly { readonly ip: string }[]) => list.map(({ ip }) => ip);
    assert.deepEqual({ cluster: ips(found.cluster), local: ips(found.local), hasAny: found.hasAny }, { cluster, local, hasAny });
    assert.deepEqual(new Set(ips(found.reachable)), new Set([...cluster, ...local]));
  });
