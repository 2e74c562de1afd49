import assert from "node:assert/strict";
import { test } from "node:test";
import { createResourceRegistry } from "@coxswain/api";
import { type KubeObject, ManualClock } from "@coxswain/machinery";
import { createMemoryStore } from "@coxswain/store";
import type { ServiceRouting } from "../contracts/service-routing.ts";
import { keyOf, servedResources } from "../storage/served-resource.ts";
import { encodeObject, ObjectCache } from "../storage/stored-object.ts";
import { serviceResolver } from "./resolve-service.ts";

const namespace = "ops";

interface Stored {
  readonly service?: object;
  readonly slices?: readonly object[];
  readonly subsets?: readonly object[];
}

interface Choices {
  readonly chance?: number;
  readonly routing?: ServiceRouting;
}

async function resolve({ service, slices = [], subsets }: Stored, { chance = 0, routing = "reachable" }: Choices = {}) {
  const store = createMemoryStore({ clock: new ManualClock() });
  const served = servedResources(createResourceRegistry());
  const put = async (group: string, resource: string, name: string, object: object): Promise<void> => {
    const found = served.find(group, "v1", resource);
    assert.ok(found);
    const whole: KubeObject = { kind: found.definition.kind, apiVersion: found.apiVersion, ...object };
    const metadata = { ...whole.metadata, name, namespace };
    await store.write({ op: "put", key: keyOf(found, namespace, name), value: encodeObject({ ...whole, metadata }), expect: "absent" });
  };
  if (service !== undefined)
    await put("", "services", "web", { spec: { type: "ClusterIP", ports: [{ port: 443, name: "https" }], ...service } });
  for (const [i, slice] of slices.entries()) {
    const labels = { "kubernetes.io/service-name": "web" };
    await put("discovery.k8s.io", "endpointslices", `web-${i}`, { metadata: { labels }, ...slice });
  }
  if (subsets !== undefined) await put("", "endpoints", "web", { subsets });
  const random = { next: () => chance, uuid: () => "" };
  const reader = { store, served, cache: new ObjectCache() };
  return serviceResolver({ reader, random, routing, ownAddress: () => ({ host: "127.0.0.1", port: 6443 }) })(namespace, "web", 443);
}

const https = { name: "https", port: 8443 };
const slice = (addressType: string, ...endpoints: readonly object[]) => ({
  addressType,
  ports: [{ name: "metrics", port: 1 }, https],
  endpoints,
});
const at = (address: string, ready?: boolean) => ({ addresses: [address], ...(ready === undefined ? {} : { conditions: { ready } }) });

const external = { service: { type: "ExternalName", externalName: "web.example.com" } };
const found: readonly (Choices & { name: string; stored: Stored; expect: object })[] = [
  {
    name: "the port of the same name at a ready address",
    stored: { service: {}, slices: [slice("IPv4", at("10.0.0.1", false), at("10.0.0.2", true))] },
    expect: { host: "10.0.0.2", port: 8443 },
  },
  {
    name: "any of the ready addresses",
    stored: { service: {}, slices: [slice("IPv4", at("10.0.0.1"), at("10.0.0.2"))] },
    chance: 0.9,
    expect: { host: "10.0.0.2", port: 8443 },
  },
  {
    name: "the Service's own family of addresses first",
    stored: { service: { ipFamilies: ["IPv6", "IPv4"] }, slices: [slice("IPv4", at("10.0.0.1")), slice("IPv6", at("fd00::1"))] },
    expect: { host: "fd00::1", port: 8443 },
  },
  {
    name: "its Endpoints where no controller makes slices of them",
    stored: { service: {}, subsets: [{ addresses: [{ ip: "10.0.0.9" }], ports: [https] }] },
    expect: { host: "10.0.0.9", port: 8443 },
  },
  {
    name: "the other name of one that only stands for it",
    stored: external,
    expect: { host: "web.example.com", port: 443 },
  },
  {
    name: "the endpoints of one without a cluster IP",
    stored: { service: { clusterIP: "None" }, slices: [slice("IPv4", at("10.0.0.1"))] },
    expect: { host: "10.0.0.1", port: 8443 },
  },
  {
    name: "any of its slices",
    stored: { service: {}, slices: [slice("IPv4", at("10.0.0.1")), slice("IPv4", at("10.0.0.2"))] },
    chance: 0.5,
    expect: { host: "10.0.0.2", port: 8443 },
  },
  ...["ClusterIP", "NodePort", "LoadBalancer"].map((type) => ({
    name: `its cluster IP with type ${type}, whatever its endpoints are`,
    routing: "cluster-ip" as const,
    stored: { service: { type, clusterIP: "10.96.1.2" } },
    expect: { host: "10.96.1.2", port: 443, isVirtual: true },
  })),
  {
    name: "the other name in place of a cluster IP",
    routing: "cluster-ip",
    stored: external,
    expect: { host: "web.example.com", port: 443 },
  },
];
for (const { name, stored, expect, ...choices } of found)
  test(`a Service leads to ${name}`, async () => assert.deepEqual(await resolve(stored, choices), expect));

const refused: readonly (Choices & { name: string; stored: Stored; message: string })[] = [
  { name: "does not exist, asked for its cluster IP,", routing: "cluster-ip", stored: {}, message: 'service "web" not found' },
  {
    name: "does not offer the port at its cluster IP",
    routing: "cluster-ip",
    stored: { service: { clusterIP: "10.96.1.2", ports: [{ port: 80 }] } },
    message: 'no service port 443 found for service "web"',
  },
  {
    name: "has no cluster IP",
    routing: "cluster-ip",
    stored: { service: { clusterIP: "None" }, slices: [slice("IPv4", at("10.0.0.1"))] },
    message: 'cannot route to service with ClusterIP "None"',
  },
  {
    name: "is a name, where endpoints are asked for,",
    routing: "endpoint",
    stored: external,
    message: 'unsupported service type "ExternalName"',
  },
  { name: "does not exist", stored: {}, message: 'service "web" not found' },
  {
    name: "does not offer the port",
    stored: { service: { ports: [{ port: 80 }] } },
    message: 'no service port 443 found for service "web"',
  },
  { name: "has no endpoints", stored: { service: {} }, message: 'no endpoints available for service "web"' },
  {
    name: "has none that is ready",
    stored: { service: {}, slices: [slice("IPv4", at("10.0.0.1", false))] },
    message: 'no endpoints available for service "web"',
  },
  {
    name: "has none for the port",
    stored: { service: {}, slices: [{ ...slice("IPv4", at("10.0.0.1")), ports: [{ name: "metrics", port: 1 }] }] },
    message: 'no endpoints available for service "web"',
  },
];
for (const { name, stored, message, ...choices } of refused)
  test(`a Service that ${name} leads nowhere`, async () => assert.rejects(resolve(stored, choices), { message }));

test("the Service of the server itself leads to where that listens, at its own port alone", async () => {
  const store = createMemoryStore({ clock: new ManualClock() });
  const reader = { store, served: servedResources(createResourceRegistry()), cache: new ObjectCache() };
  let own: { host: string; port: number } | undefined;
  const random = { next: () => 0, uuid: () => "" };
  const to = serviceResolver({ reader, random, routing: "cluster-ip", ownAddress: () => own });
  await assert.rejects(to("default", "kubernetes", 443), { message: 'service "kubernetes" not found' });
  own = { host: "127.0.0.1", port: 6443 };
  assert.deepEqual(await to("default", "kubernetes", 443), { ...own, isOwn: true });
  await assert.rejects(to("default", "kubernetes", 80), { message: 'service "kubernetes" not found' });
  await assert.rejects(to("other", "kubernetes", 443), { message: 'service "kubernetes" not found' });
});
