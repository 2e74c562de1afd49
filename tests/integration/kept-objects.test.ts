/** Objects that the API server itself makes and keeps: its own Service's endpoints, IPAddresses, APIServices. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { issueCertificate } from "@coxswain/pki/node";
import type { Store } from "@coxswain/store";
import { createMemoryStore } from "@coxswain/store";
import { storeUnderTest } from "../store-under-test.ts";
import { type Api, type Json, startApi } from "./api.ts";
import { definitionOf } from "./custom-resources.ts";

const services = "/api/v1/namespaces/default/services";
const endpoints = "/api/v1/namespaces/default/endpoints/kubernetes";
const slice = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
const addresses = "/apis/networking.k8s.io/v1/ipaddresses";
const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
const advertiseAddress = "192.0.2.7";
const merge = "application/merge-patch+json";

const tls = certificate();
let store: Store;
let api: Api;
let port: number;

before(async () => {
  store = await storeUnderTest(new ManualClock());
  api = await startApi({ store, tls, advertiseAddress });
  port = (await api.server.listen(0, "127.0.0.1")).port;
  await eventually(endpoints, leadsHere);
  await eventually(slice, sliceLeadsHere);
  await eventually(`${services}/kubernetes`, (body) => body.spec.ports[0].targetPort === port);
});
after(() => api.server.close());

function certificate() {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = nameWith("test");
  const cert = issueCertificate({
    subject,
    issuer: { subject, ...keys },
    publicKey: keys.publicKey,
    serial: new Uint8Array([1]),
    notBefore: 0,
    notAfter: 4_000_000_000_000,
    authority: false,
    usages: ["server auth"],
    names: { dns: ["localhost"], email: [], uri: [], ip: [] },
  });
  return { cert, key: keys.privateKey.export({ format: "pem", type: "pkcs8" }).toString() };
}

/** Repairs take few turns: each answer lets the server continue. */
async function eventually(target: string, isRight: (body: Json) => boolean, of: Api = api): Promise<Json> {
  for (let i = 0; i < 1_000; i++) {
    const { body } = await of.send("GET", target);
    if (isRight(body)) return body;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`${target} was not put right: ${(await of.send("GET", target)).text}`);
}

const leadsHere = (body: Json): boolean =>
  body.subsets?.[0]?.addresses[0]?.ip === advertiseAddress && body.subsets[0].ports[0].port === port;
const sliceLeadsHere = (body: Json): boolean => body.endpoints?.[0]?.addresses[0] === advertiseAddress && body.ports[0].port === port;

test("the Service kubernetes leads to the server", async () => {
  const [service, own, ownSlice] = await Promise.all([`${services}/kubernetes`, endpoints, slice].map((one) => api.send("GET", one)));
  assert.equal(service?.body.spec.ports[0].targetPort, port);
  assert.deepEqual(own?.body.metadata.labels, { "endpointslice.kubernetes.io/skip-mirror": "true" });
  assert.deepEqual(own?.body.subsets, [{ addresses: [{ ip: advertiseAddress }], ports: [{ name: "https", port, protocol: "TCP" }] }]);
  assert.equal(own?.body.metadata.managedFields[0].manager, "kube-apiserver");
  assert.deepEqual(ownSlice?.body.metadata.labels, { "kubernetes.io/service-name": "kubernetes" });
  const { addressType, endpoints: shown, ports } = ownSlice?.body ?? {};
  assert.deepEqual(
    { addressType, shown, ports },
    {
      addressType: "IPv4",
      shown: [{ addresses: [advertiseAddress], conditions: { ready: true } }],
      ports: [{ name: "https", port, protocol: "TCP" }],
    },
  );
});

test("kept objects that were changed or deleted are restored", async () => {
  await api.send("DELETE", `${services}/kubernetes`);
  await eventually(`${services}/kubernetes`, (body) => body.spec?.ports[0].targetPort === port);
  await api.send("DELETE", endpoints);
  await eventually(endpoints, leadsHere);
  await api.send("PATCH", endpoints, { type: merge, body: { subsets: [{ addresses: [{ ip: "192.0.2.9" }], ports: [{ port: 1 }] }] } });
  await eventually(endpoints, leadsHere);
  await api.send("DELETE", slice);
  await eventually(slice, sliceLeadsHere);
  await api.send("PATCH", slice, { type: merge, body: { endpoints: [] } });
  await eventually(slice, sliceLeadsHere);
});

test("each cluster IP has an IPAddress that says whose it is, for as long as it is", async () => {
  const spec = { ports: [{ port: 80 }] };
  const { body: service } = await api.send("POST", services, { body: { metadata: { name: "web" }, spec } });
  const address = `${addresses}/${service.spec.clusterIP}`;
  const found = await eventually(address, ({ kind }) => kind === "IPAddress");
  assert.deepEqual(found.spec, { parentRef: { resource: "services", namespace: "default", name: "web" } });
  assert.deepEqual(found.metadata.labels, {
    "ipaddress.kubernetes.io/ip-family": "IPv4",
    "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
  });
  await api.send("DELETE", address);
  await eventually(address, ({ metadata }) => metadata?.uid !== undefined && metadata.uid !== found.metadata.uid);
  await api.send("PATCH", address, { type: merge, body: { metadata: { labels: null } } });
  await eventually(address, ({ metadata }) => metadata?.labels?.["ipaddress.kubernetes.io/ip-family"] === "IPv4");
  await api.send("DELETE", `${services}/web`);
  await eventually(address, ({ code }) => code === 404);
});

test("an IPAddress of another controller is not allocated to a Service", async () => {
  const body = { metadata: { name: "10.96.3.3" }, spec: { parentRef: { resource: "services", namespace: "default", name: "other" } } };
  await api.send("POST", addresses, { body });
  const requested = { metadata: { name: "requested" }, spec: { clusterIP: "10.96.3.3", ports: [{ port: 80 }] } };
  const refused = await api.send("POST", services, { body: requested });
  assert.match(refused.body.message, /failed to allocate IP 10\.96\.3\.3: provided IP is already allocated/);
  const { body: service } = await api.send("POST", services, { body: { metadata: { name: "next" }, spec: { ports: [{ port: 80 }] } } });
  await eventually(`${addresses}/${service.spec.clusterIP}`, ({ kind }) => kind === "IPAddress");
  assert.equal((await api.send("GET", `${addresses}/10.96.3.3`)).status, 200);
  await api.send("DELETE", `${addresses}/10.96.3.3`);
  assert.equal((await api.send("POST", services, { body: requested })).status, 201);
});

test("the range of Services is a ServiceCIDR that is ready", async () => {
  const { body } = await api.send("GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes");
  assert.deepEqual(body.spec, { cidrs: ["10.96.0.0/12"] });
  const [{ lastTransitionTime, ...condition }] = body.status.conditions;
  assert.equal(lastTransitionTime, body.metadata.creationTimestamp);
  const message = "Kubernetes default Service CIDR is ready";
  assert.deepEqual(condition, { type: "Ready", status: "True", reason: "", message });
});

test("each group and version that is built in has an APIService, which is available, but that of APIServices themselves", async () => {
  const { body } = await api.send("GET", apiServices);
  const groups = (await api.send("GET", "/apis")).body.groups.flatMap(({ versions }: Json) => versions);
  const served = groups
    .map(({ groupVersion, version }: Json) => `${version}.${groupVersion.split("/")[0]}`)
    .filter((name: string) => name !== "v1.apiregistration.k8s.io" && !name.endsWith(".example.com"));
  assert.deepEqual(body.items.map(({ metadata }: Json) => metadata.name).sort(), ["v1.", ...served].sort());
  const { metadata, spec, status } = body.items.find((one: Json) => one.metadata.name === "v1.apps");
  assert.deepEqual(metadata.labels, { "kube-aggregator.kubernetes.io/automanaged": "onstart" });
  assert.deepEqual(spec, { group: "apps", version: "v1", groupPriorityMinimum: 17_800, versionPriority: 15 });
  assert.deepEqual([status.conditions[0].type, status.conditions[0].status, status.conditions[0].reason], ["Available", "True", "Local"]);
});

test("the groups of CustomResourceDefinitions have APIServices while they are served", async () => {
  const definition = definitionOf();
  const { group, versions } = definition.spec;
  const target = `${apiServices}/${versions[0].name}.${group}`;
  await api.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: definition });
  const made = await eventually(target, ({ kind }) => kind === "APIService");
  assert.deepEqual(made.metadata.labels, { "kube-aggregator.kubernetes.io/automanaged": "true" });
  assert.deepEqual(made.spec, { group, version: versions[0].name, groupPriorityMinimum: 1_000, versionPriority: 100 });
  await api.send("DELETE", target);
  await eventually(target, ({ metadata }) => metadata?.uid !== undefined && metadata.uid !== made.metadata.uid);
  await api.send("PATCH", target, { type: merge, body: { spec: { versionPriority: 7 } } });
  await eventually(target, ({ spec }) => spec?.versionPriority === 100);
  await api.send("DELETE", `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`);
  await eventually(target, ({ code }) => code === 404);
});

const flows = "/apis/flowcontrol.apiserver.k8s.io/v1";
const levelNamed = (name: string) => ({
  metadata: { name },
  spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } },
});

test("a FlowSchema says whether its priority level is missing", async () => {
  await api.send("POST", `${flows}/flowschemas`, {
    body: { metadata: { name: "flow" }, spec: { matchingPrecedence: 3, priorityLevelConfiguration: { name: "level" } } },
  });
  const dangling = (status: string) => (body: Json) =>
    body.status?.conditions?.length === 1 && body.status.conditions[0].type === "Dangling" && body.status.conditions[0].status === status;
  const missing = await eventually(`${flows}/flowschemas/flow`, dangling("True"));
  assert.equal(
    missing.status.conditions[0].message,
    'This FlowSchema references the PriorityLevelConfiguration object named "level" but there is no such object',
  );
  const [applied] = missing.metadata.managedFields;
  assert.deepEqual(
    [applied.manager, applied.operation, applied.subresource],
    ["api-priority-and-fairness-config-consumer-v1", "Apply", "status"],
  );
  await api.send("POST", `${flows}/prioritylevelconfigurations`, { body: levelNamed("level") });
  await eventually(`${flows}/flowschemas/flow`, dangling("False"));
  await api.send("DELETE", `${flows}/prioritylevelconfigurations/level`);
  await eventually(`${flows}/flowschemas/flow`, dangling("True"));
  await api.send("PATCH", `${flows}/flowschemas/flow`, { body: { spec: { priorityLevelConfiguration: { name: "exempt" } } }, type: merge });
  await eventually(`${flows}/flowschemas/flow`, dangling("False"));
});

test("the FlowSchemas of a new cluster have their condition, and a Table shows all in the order of matching", async () => {
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const { body } = await api.send("GET", `${flows}/flowschemas`, { accept });
  const [first, second, third, ...rest] = body.rows.map(({ cells }: Json) => [cells[0], cells[5]]);
  assert.deepEqual(
    [first, second, third],
    [
      ["exempt", "False"],
      ["probes", "False"],
      ["flow", "False"],
    ],
  );
  assert.deepEqual(rest.at(-1), ["catch-all", "False"]);
});

test("a server that ends takes its address away, and one on another port is found where it is", async () => {
  await api.server.close();
  api = await startApi({ store, tls, advertiseAddress });
  assert.deepEqual((await api.send("GET", endpoints)).body.subsets, undefined);
  assert.deepEqual((await api.send("GET", slice)).body.endpoints, []);
  port = (await api.server.listen(0, "127.0.0.1")).port;
  await eventually(endpoints, leadsHere);
  await eventually(slice, sliceLeadsHere);
  await eventually(`${services}/kubernetes`, (body) => body.spec.ports[0].targetPort === port);
});

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const identity = { "apiserver.kubernetes.io/identity": "kube-apiserver" };
const ofServers = `${leases}?labelSelector=apiserver.kubernetes.io/identity%3Dkube-apiserver`;

test("a server has a Lease that says who it is, renews it, and takes it along when it ends", async () => {
  const clock = new ManualClock();
  const named = await startApi({ store: createMemoryStore({ clock }), clock, tls, advertiseAddress, hostname: "node-1" });
  const at = (await named.server.listen(0, "127.0.0.1")).port;
  const lease = async (isRight: (lease: Json) => boolean): Promise<Json> =>
    (await eventually(ofServers, ({ items }) => items.length === 1 && isRight(items[0]), named)).items[0];
  const first = await lease(() => true);
  assert.deepEqual(first.metadata.labels, { ...identity, "kubernetes.io/hostname": "node-1" });
  assert.deepEqual(first.metadata.annotations, { "kubernetes.io/peer-advertise-address": `${advertiseAddress}:${at}` });
  assert.match(first.metadata.name, /^apiserver-[a-z2-7]{26}$/);
  assert.ok(first.spec.holderIdentity.startsWith(`${first.metadata.name}_`));
  assert.equal(first.spec.leaseDurationSeconds, 3600);
  assert.deepEqual(
    first.metadata.managedFields.map(({ manager, operation }: Json) => [manager, operation]),
    [["kube-apiserver", "Update"]],
  );
  clock.advance(600_000);
  const renewed = await lease(({ spec }) => spec.renewTime !== first.spec.renewTime);
  assert.equal(renewed.spec.holderIdentity, first.spec.holderIdentity);
  const { store: kept } = named;
  const key = `/registry/leases/kube-system/${first.metadata.name}`;
  assert.notEqual((await kept.get(key)).entry, undefined);
  await named.server.close();
  assert.equal((await kept.get(key)).entry, undefined);
});

test("Leases of servers that have not renewed them in time are removed, and no others", async () => {
  const clock = new ManualClock();
  const named = await startApi({ store: createMemoryStore({ clock }), clock, tls, advertiseAddress, hostname: "node-1" });
  const renewed = (agoMs: number) => ({
    renewTime: new Date(clock.now() - agoMs).toISOString().replace("Z", "000Z"),
    leaseDurationSeconds: 3600,
  });
  for (const [name, labels, spec] of [
    ["killed", identity, renewed(3_601_000)],
    ["nobodys", identity, {}],
    ["alive", identity, renewed(3_599_000)],
    ["of-others", {}, renewed(3_601_000)],
  ] as const)
    assert.equal((await named.send("POST", leases, { body: { metadata: { name, labels }, spec } })).status, 201);
  await named.server.listen(0, "127.0.0.1");
  const names = ({ items }: Json): string[] =>
    items.map(({ metadata }: Json) => metadata.name).filter((name: string) => !name.startsWith("apiserver-"));
  await eventually(leases, (list) => names(list).length === 2, named);
  assert.deepEqual(names((await named.send("GET", leases)).body), ["alive", "of-others"]);
  await named.server.close();
});
