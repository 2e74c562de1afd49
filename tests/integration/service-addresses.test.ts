import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "./api.ts";
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
  // Made anew while the old one is still there, and stored once that is gone.
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
  const { entry } = await api.store.get("/registry/services/specs/default/a");
  await api.store.write({ op: "delete", key: "/registry/services/specs/default/a", expect: entry!.modified });
  assert.equal((await api.send("POST", services, { body: service("b") })).status, 422);
  put.release();
  assert.equal((await updated).status, 404);
  assert.equal((await api.send("POST", services, { body: service("b") })).status, 201);
});

const refused = [
  { name: "the address", spec: { clusterIP: "10.96.7.7", ports: [{ port: 80 }] }, field: "spec.clusterIPs" },
  { name: "the port", spec: { ports: [{ port: 80, nodePort: 30777 }] }, field: "spec.ports[0].nodePort" },
  { name: "both, of which the address is looked at first", spec: undefined, field: "spec.clusterIPs" },
];
for (const { name, spec, field } of refused)
  test(`a Service that is there is told of before its name: ${name}`, async () => {
    const api = await startApi();
    await api.send("POST", services, { body: service("a") });
    const { status, body } = await api.send("POST", services, { body: service("a", spec) });
    assert.deepEqual([status, body.details.causes.map((cause: { field: string }) => cause.field)], [422, [field]]);
  });
