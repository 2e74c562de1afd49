import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, startApi } from "./api.ts";
import { deletionOf, holdWrite, putOf } from "./scripted-writes.ts";

const services = "/api/v1/namespaces/default/services";
const service = (name: string, spec: object = { clusterIP: "10.96.7.7", ports: [{ port: 80, nodePort: 30777 }] }) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { type: "NodePort", ...spec },
});

test("an address that is given up is not given twice while a create waits for the deletion", async () => {
  const api = await startApi();
  await api.send("POST", services, { body: service("a") });
  const deletion = holdWrite(api.store, deletionOf("/default/a"));
  const deleted = api.send("DELETE", `${services}/a`);
  await deletion.reached;
  // Created again while the old one is still there, and stored once that is gone.
  const put = holdWrite(api.store, putOf("/default/a"));
  const again = api.send("POST", services, { body: service("a") });
  const other = Promise.race([put.reached, again]).then(async () => {
    deletion.release();
    await deleted;
    return api.send("POST", services, { body: service("b") });
  });
  const { status } = await other;
  put.release();
  assert.deepEqual([(await again).status, status], [422, 201]);
});

test("an address is taken while an update that keeps it is under way", async () => {
  const api = await startApi();
  await api.send("POST", services, { body: service("a") });
  const put = holdWrite(api.store, putOf("/default/a"));
  const updated = api.send("PATCH", `${services}/a`, { type: "application/merge-patch+json", body: { metadata: { labels: { a: "b" } } } });
  await put.reached;
  await deleteElsewhere(api, "/registry/services/specs/default/a", "/registry/ipaddresses/10.96.7.7", "/registry/ranges/servicenodeports");
  assert.equal((await api.send("POST", services, { body: service("b") })).status, 422);
  put.release();
  assert.equal((await updated).status, 404);
  assert.equal((await api.send("POST", services, { body: service("b") })).status, 201);
});

/** As another server on the same state: a deletion here would wait for the update. */
async function deleteElsewhere({ store }: Api, ...keys: readonly string[]): Promise<void> {
  const found = await Promise.all(keys.map(async (key) => ({ key, expect: (await store.get(key)).entry!.modified })));
  const [first, ...also] = found;
  assert.equal((await store.write({ op: "delete", ...first!, also })).ok, true);
}

const refused = [
  { name: "the address", spec: { clusterIP: "10.96.7.7", ports: [{ port: 80 }] }, field: "spec.clusterIPs" },
  { name: "the port", spec: { ports: [{ port: 80, nodePort: 30777 }] }, field: "spec.ports[0].nodePort" },
  { name: "both, of which the address is looked at first", spec: undefined, field: "spec.clusterIPs" },
];
for (const { name, spec, field } of refused)
  test(`an existing Service is reported before an invalid address: ${name}`, async () => {
    const api = await startApi();
    await api.send("POST", services, { body: service("a") });
    const { status, body } = await api.send("POST", services, { body: service("a", spec) });
    assert.deepEqual([status, body.details.causes.map((cause: { field: string }) => cause.field)], [422, [field]]);
  });

const merge = "application/merge-patch+json";

interface Refusal {
  readonly name: string;
  readonly spec: object;
  readonly status?: number;
  readonly message: string;
}

const newOnes: readonly Refusal[] = [
  {
    name: "invalid addresses are reported first and alone",
    spec: { clusterIP: "10.96.0.9", ipFamilies: ["IPv6"], ports: [] },
    message: 'spec.clusterIPs[0]: Invalid value: "10.96.0.9": expected an IPv6 value as indicated by `ipFamilies[0]`',
  },
  {
    name: "an address of a family that the cluster does not have",
    spec: { clusterIP: "fd00::1", ports: [{ port: 80 }] },
    message: 'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster',
  },
  {
    name: "an address of no range",
    spec: { clusterIP: "10.96.0.0", ports: [{ port: 80 }] },
    message:
      'spec.clusterIPs: Invalid value: ["10.96.0.0"]: failed to allocate IP 10.96.0.0: the provided network does not match the current range',
  },
  {
    name: "two ports that want one node port",
    spec: {
      ports: [
        { name: "a", port: 80, nodePort: 30001 },
        { name: "b", port: 81, nodePort: 30001, protocol: "UDP" },
      ],
    },
    message: "spec.ports[1].nodePort: Invalid value: 30001: provided port is already allocated",
  },
];
for (const { name, spec, message } of newOnes)
  test(`a new Service is refused for ${name}`, async () => {
    const api = await startApi();
    const { status, body } = await api.send("POST", services, { body: service("a", spec) });
    assert.deepEqual([status, body.message], [422, `Service "a" is invalid: ${message}`]);
  });

const changes: readonly Refusal[] = [
  {
    name: "another address",
    spec: { clusterIP: "1.1.1.1", clusterIPs: ["1.1.1.1"] },
    message: 'Service "a" is invalid: spec.clusterIPs[0]: Invalid value: ["1.1.1.1"]: may not change once set',
  },
  {
    name: "its own node port as its health check's",
    spec: { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 30777 },
    status: 500,
    message: "Internal error occurred: failed to allocate requested HealthCheck NodePort 30777: provided port is already allocated",
  },
  {
    name: "one node port twice",
    spec: {
      ports: [
        { name: "a", port: 80, nodePort: 30777 },
        { name: "b", port: 81, nodePort: 30777 },
      ],
    },
    status: 500,
    message: "duplicate nodePort: {TCP 30777}",
  },
];
for (const { name, spec, status = 422, message } of changes)
  test(`a Service does not get ${name}`, async () => {
    const api = await startApi();
    await api.send("POST", services, { body: service("a") });
    const answer = await api.send("PATCH", `${services}/a`, { body: { spec }, type: merge });
    assert.deepEqual([answer.status, answer.body.message], [status, message]);
  });

test("ports of one number share their node port, and a load balancer without node ports gets those it asks for", async () => {
  const api = await startApi();
  const dns = [
    { name: "tcp", port: 53 },
    { name: "udp", port: 53, protocol: "UDP" },
  ];
  const { body } = await api.send("POST", services, { body: service("dns", { ports: dns }) });
  const [tcp, udp] = body.spec.ports;
  assert.equal(udp.nodePort, tcp.nodePort);
  const spec = { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 80, nodePort: tcp.nodePort }] };
  assert.equal((await api.send("POST", services, { body: service("taken", spec) })).status, 422);
});

test("an external name has no internal traffic policy, and a bad one is refused", async () => {
  const api = await startApi();
  await api.send("POST", services, { body: service("a") });
  const spec = { type: "ExternalName", externalName: "example.com" };
  const { body } = await api.send("PATCH", `${services}/a`, { body: { spec }, type: merge });
  assert.deepEqual([body.spec.type, body.spec.internalTrafficPolicy, body.spec.clusterIP], ["ExternalName", undefined, undefined]);
  const bad = await api.send("PATCH", `${services}/a`, { body: { spec: { internalTrafficPolicy: "X" } }, type: merge });
  assert.equal(bad.body.details.causes[0].field, "spec.internalTrafficPolicy");
});
