import assert from "node:assert/strict";
import { test } from "node:test";
import type { api } from "@coxswain/client";
import { ServiceIndex } from "./service-index.ts";

const service = (name: string, spec: api.coreV1.ServiceSpec): api.coreV1.Service => ({ metadata: { namespace: "n", name }, spec });
const slice = (name: string, of: string, addresses: readonly string[], ready = true): api.discoveryV1.EndpointSlice => ({
  metadata: { namespace: "n", name, labels: { "kubernetes.io/service-name": of } },
  addressType: "IPv4",
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready } })),
});
const named = (index: ServiceIndex, address: string): string[] =>
  Array.from(index.endpointsAt(address), (one) => `${one.hostname}.${one.service}`);
const held = (index: ServiceIndex, name: string): string[] =>
  Array.from(index.endpoints("n", name), ({ addresses }) => addresses.map(({ text }) => text)).flat();

test("a Service's new address replaces its old one", () => {
  const index = new ServiceIndex();
  index.setService(service("web", { clusterIP: "10.0.0.1" }));
  index.setService(service("web", { clusterIPs: ["10.0.0.2", "FD00:0::2"] }));
  assert.deepEqual([...index.servicesAt("10.0.0.1")], []);
  assert.equal([...index.servicesAt("fd00::2")][0]?.name, "web");
  index.setService(service("web", { type: "ExternalName", externalName: "x.org" }));
  assert.deepEqual([...index.servicesAt("10.0.0.2")], []);
  index.deleteService("n", "web");
  index.deleteService("n", "web");
  assert.equal(index.service("n", "web"), undefined);
});

test("endpoints of all slices count, whatever comes first", () => {
  const index = new ServiceIndex();
  index.setEndpointSlice(slice("a", "web", ["10.1.0.1", "10.1.0.2"]));
  index.setEndpointSlice(slice("b", "web", ["10.1.0.3"]));
  index.setService(service("web", { clusterIP: "None" }));
  assert.deepEqual(held(index, "web"), ["10.1.0.1", "10.1.0.2", "10.1.0.3"]);
  index.setEndpointSlice(slice("a", "web", ["10.1.0.2"]));
  assert.deepEqual(held(index, "web").sort(), ["10.1.0.2", "10.1.0.3"]);
  assert.deepEqual(named(index, "10.1.0.1"), []);
  index.setEndpointSlice(slice("b", "web", ["10.1.0.3"], false));
  assert.deepEqual(held(index, "web"), ["10.1.0.2"]);
});

test("a slice whose list is null, as Go writes an empty one, has no endpoints", () => {
  const index = new ServiceIndex();
  index.setEndpointSlice(slice("a", "web", ["10.1.0.1"]));
  index.setEndpointSlice({ ...slice("a", "web", []), ...JSON.parse('{"endpoints":null,"ports":null}') });
  assert.deepEqual(held(index, "web"), []);
  assert.deepEqual(named(index, "10.1.0.1"), []);
});

test("a slice that becomes another Service's, and one that is in two, leave nothing behind", () => {
  const index = new ServiceIndex();
  index.setEndpointSlice(slice("a", "web", ["10.1.0.1"]));
  index.setEndpointSlice(slice("b", "api", ["10.1.0.1"]));
  assert.deepEqual(named(index, "10.1.0.1"), ["10-1-0-1.web", "10-1-0-1.api"]);
  index.setEndpointSlice(slice("a", "api", ["10.1.0.1"]));
  assert.deepEqual(held(index, "web"), []);
  index.deleteEndpointSlice("n", "a");
  assert.deepEqual(named(index, "10.1.0.1"), ["10-1-0-1.api"]);
  index.deleteEndpointSlice("n", "b");
  index.deleteEndpointSlice("n", "b");
  assert.deepEqual(named(index, "10.1.0.1"), []);
});

test("Pods are known by all of their addresses, as long as they have them", () => {
  const index = new ServiceIndex();
  index.setPod("n", "p", ["10.1.0.1", "fd00::1"], []);
  index.setPod("m", "p", ["10.1.0.1"], []);
  index.setPod("n", "p", ["10.1.0.2"], ["10.1.0.1", "fd00::1"]);
  assert.deepEqual(
    ["10.1.0.1", "10.1.0.2", "fd00::1"].map((address) => index.hasPod("n", address)),
    [false, true, false],
  );
  assert.equal(index.hasPod("m", "10.1.0.1"), true);
});

test("every change has another serial", () => {
  const index = new ServiceIndex();
  const serials = new Set([index.serial]);
  index.setNamespace("n", true);
  serials.add(index.serial);
  index.setService(service("web", {}));
  serials.add(index.serial);
  index.setPod("n", "p", [], []);
  serials.add(index.serial);
  assert.equal(serials.size, 4);
});
