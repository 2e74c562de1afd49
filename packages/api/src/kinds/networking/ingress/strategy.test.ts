import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, statusUpdatedAs, updatedAs } from "../../kind-under-test.ts";
import { ingressClass } from "../ingress-class/strategy.ts";
import { ingress } from "./strategy.ts";

const backend = { service: { name: "s", port: { number: 80 } } };
const withPath = (path: object) => ({ spec: { rules: [{ http: { paths: [{ path: "/", pathType: "Prefix", backend, ...path }] } }] } });
const at = "spec.rules[0].http.paths[0]";

const refused = [
  { name: "rules without paths", body: { spec: { rules: [{ http: {} }] } }, expect: ["spec.rules[0].http.paths: Required value"] },
  {
    name: "a path without a type",
    body: withPath({ pathType: undefined }),
    expect: [`${at}.pathType: Required value: pathType must be specified`],
  },
  { name: "a relative path", body: withPath({ path: "a" }), expect: [`${at}.path: Invalid value: "a": must be an absolute path`] },
  {
    name: "no path, if the type needs one",
    body: withPath({ path: "" }),
    expect: [`${at}.path: Invalid value: "": must be an absolute path`],
  },
  {
    name: "a path that goes back",
    body: withPath({ path: "/a/.." }),
    expect: [`${at}.path: Invalid value: "/a/..": cannot end with '/..'`],
  },
  {
    name: "encoded slashes",
    body: withPath({ path: "/a%2fb//c" }),
    expect: [
      `${at}.path: Invalid value: "/a%2fb//c": must not contain '//'`,
      `${at}.path: Invalid value: "/a%2fb//c": must not contain '%2f'`,
    ],
  },
  {
    name: "no backend",
    body: withPath({ backend: {} }),
    expect: [`${at}.backend: Invalid value: "": resource or service backend is required`],
  },
  {
    name: "two names for a port",
    body: withPath({ backend: { service: { name: "s", port: { name: "a", number: 1 } } } }),
    expect: [`${at}.backend: Invalid value: "": cannot set both port name & port number`],
  },
  {
    name: "an address for a host",
    body: { spec: { defaultBackend: backend, rules: [{ host: "10.0.0.1" }] } },
    expect: ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
  },
  {
    name: "two classes",
    body: { metadata: { annotations: { "kubernetes.io/ingress.class": "a" } }, spec: { defaultBackend: backend, ingressClassName: "b" } },
    expect: ['annotations.kubernetes.io/ingress.class: Invalid value: "a": must match `ingressClassName` when both are specified'],
  },
];
for (const { name, body, expect } of refused)
  test(`an ingress: refuses ${name}`, () => assert.deepEqual(createdAs(ingress, body).problems, expect));

for (const body of [
  withPath({ path: "", pathType: "ImplementationSpecific" }),
  { spec: { defaultBackend: { resource: { kind: "Bucket", name: "b" } } } },
])
  test(`an ingress: takes ${JSON.stringify(body).slice(0, 60)}`, () => assert.deepEqual(createdAs(ingress, body).problems, []));

test("a class in an annotation is of old", () => {
  const body = { metadata: { annotations: { "kubernetes.io/ingress.class": "a" } }, spec: { defaultBackend: backend } };
  const { object, warnings } = createdAs(ingress, body);
  assert.deepEqual(warnings, [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`]);
  assert.deepEqual(updatedAs(ingress, object, body).warnings, []);
});

test("a load balancer is an address or a name", () => {
  const prev = createdAs(ingress, { spec: { defaultBackend: backend } }).object;
  assert.deepEqual(statusUpdatedAs(ingress, prev, { loadBalancer: { ingress: [{ ip: "1.2.3" }, { hostname: "10.0.0.1" }] } }).problems, [
    'status.loadBalancer.ingress[0].ip: Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    'status.loadBalancer.ingress[1].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
  ]);
});

const now = Date.parse("2026-01-01T00:00:30Z");
const metadata = { name: "i", creationTimestamp: "2026-01-01T00:00:00Z" };
const hosts = (...names: string[]) => ({ rules: names.map((host) => ({ host })) });
const rows = [
  { name: "any host", spec: { rules: [{}] }, expect: ["i", "<none>", "*", "", "80", "30s"] },
  { name: "three hosts", spec: { ...hosts("a", "b", "c"), tls: [{}] }, expect: ["i", "<none>", "a,b,c", "", "80, 443", "30s"] },
  {
    name: "more hosts",
    spec: { ...hosts("a", "b", "c", "d", "e"), ingressClassName: "n" },
    expect: ["i", "n", "a,b,c + 2 more...", "", "80", "30s"],
  },
];
for (const { name, spec, expect } of rows)
  test(`shows ${name}`, () => assert.deepEqual(ingress.columns?.cells({ metadata, spec }, now), expect));

test("shows where an ingress is", () => {
  const status = { loadBalancer: { ingress: [{ ip: "10.0.0.2" }, { hostname: "lb.example.com" }, { ip: "10.0.0.1" }] } };
  assert.equal(ingress.columns?.cells({ metadata, status }, now)[3], "10.0.0.1,10.0.0.2,lb.example.com");
});

const classes = [
  { name: "no controller", spec: {}, expect: ["spec.controller: Required value"] },
  {
    name: "a controller without a domain",
    spec: { controller: "nginx" },
    expect: ['spec.controller: Invalid value: "nginx": must be a domain-prefixed path (such as "acme.io/foo")'],
  },
  {
    name: "parameters of no namespace",
    spec: { controller: "example.com/c", parameters: { kind: "P", name: "p", scope: "Namespace" } },
    expect: ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  },
  {
    name: "parameters of a namespace, for the cluster",
    spec: { controller: "example.com/c", parameters: { kind: "P", name: "p", namespace: "n" } },
    expect: ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
  },
];
for (const { name, spec, expect } of classes)
  test(`a class: refuses ${name}`, () => assert.deepEqual(createdAs(ingressClass, { spec }).problems, expect));

test("a class keeps its controller", () => {
  const prev = createdAs(ingressClass, { spec: { controller: "example.com/a" } }).object;
  assert.deepEqual(updatedAs(ingressClass, prev, { spec: { controller: "example.com/b" } }).problems, [
    'spec.controller: Invalid value: "example.com/b": field is immutable',
  ]);
});

test("shows the default class", () => {
  const annotations = { "ingressclass.kubernetes.io/is-default-class": "true" };
  const spec = { controller: "example.com/c", parameters: { apiGroup: "example.com", kind: "P", name: "p" } };
  assert.deepEqual(ingressClass.columns?.cells({ metadata: { ...metadata, annotations }, spec }, now), [
    "i (default)",
    "example.com/c",
    "P.example.com/p",
    "30s",
  ]);
});
