/** Requests that another thread serves are answered as if there were none. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { type Api, type Json, startApi } from "./api.ts";

let api: Api;
before(async () => {
  api = await startApi({ offload: "thread" });
});
after(() => api.server.close());

const configMaps = "/api/v1/namespaces/default/configmaps";
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const seats = "/apis/example.com/v1/namespaces/default/seats";
const long = "x".repeat(100_000);
const configMap = (name: string, more: object = {}): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...more },
  data: { long },
});

const seatSchema = (spec: object): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "seats.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "seats", kind: "Seat" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }],
  },
});

async function established(): Promise<void> {
  await waitUntil("seats to be established", async () => {
    const { body } = await api.send("GET", `${crds}/seats.example.com`);
    return body.status?.conditions?.some(({ type, status }: Json) => type === "Established" && status === "True");
  });
}

test("an offloaded write is visible to all clients and has the request's user", async () => {
  const made = await api.send("POST", `${configMaps}?fieldManager=me`, { body: configMap("a"), headers: { "audit-id": "heavy-1" } });
  assert.equal(made.status, 201);
  assert.equal(made.headers["audit-id"], "heavy-1");
  const read = await api.send("GET", `${configMaps}/a`);
  assert.deepEqual(read.body, made.body);
  assert.equal(read.body.metadata.managedFields[0].manager, "me");
  const [change] = await api.store.history("/registry/configmaps/default/a");
  assert.equal(change?.note?.user, "tester");
  assert.equal(change?.note?.requestId, "heavy-1");
});

test("a small request for a large object", async () => {
  const patched = await api.send("PATCH", `${configMaps}/a`, {
    body: { metadata: { labels: { b: "c" } } },
    type: "application/merge-patch+json",
  });
  assert.equal(patched.status, 200);
  assert.equal(patched.body.metadata.labels.b, "c");
  const table = await api.send("GET", `${configMaps}/a`, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
  assert.equal(table.body.rows[0].cells[0], "a");
});

test("conflicts, refusals and warnings come back", async () => {
  const stale = await api.send("PUT", `${configMaps}/a`, { body: configMap("a", { resourceVersion: "1" }) });
  assert.equal(stale.status, 409);
  assert.equal(stale.body.reason, "Conflict");
  const taken = await api.send("POST", configMaps, { body: configMap("a") });
  assert.equal(taken.body.reason, "AlreadyExists");
  const wrong = await api.send("POST", configMaps, { body: configMap("Ä") });
  assert.equal(wrong.status, 422);
  assert.equal(wrong.body.details.kind, "ConfigMap");
  const warned = await api.send("POST", `${configMaps}?dryRun=All`, { body: { ...configMap("b"), more: 1 } });
  assert.equal(warned.status, 201);
  assert.match(String(warned.headers.warning), /unknown field \\"more\\"/);
  assert.equal((await api.send("GET", `${configMaps}/b`)).status, 404);
});

test("watches get what the offload thread writes", async () => {
  const watching = await api.watch(`${configMaps}?watch=1&fieldSelector=metadata.name%3Dwatched`);
  await api.send("POST", configMaps, { body: configMap("watched") });
  await watching.settle();
  assert.equal(watching.events.at(-1)?.object.metadata.name, "watched");
  watching.leave();
});

test("the offload thread sees a definition and its changes at once", async () => {
  await api.send("POST", crds, { body: seatSchema({ type: "object", properties: { text: { type: "string" } } }) });
  await established();
  const seat = (name: string): Json => ({ apiVersion: "example.com/v1", kind: "Seat", metadata: { name }, spec: { text: long, row: 1 } });
  assert.deepEqual(Object.keys((await api.send("POST", seats, { body: seat("a") })).body.spec), ["text"]);
  const { body: current } = await api.send("GET", `${crds}/seats.example.com`);
  const properties = { text: { type: "string" }, row: { type: "integer" } };
  current.spec.versions[0].schema.openAPIV3Schema.properties.spec = { type: "object", properties };
  assert.equal((await api.send("PUT", `${crds}/seats.example.com`, { body: current })).status, 200);
  assert.deepEqual((await api.send("POST", seats, { body: seat("b") })).body.spec.row, 1);
});

test("a small object that takes long to check", async () => {
  const { body: current } = await api.send("GET", `${crds}/seats.example.com`);
  const items = { type: "array", maxItems: 100, items: { type: "integer" } };
  const slow = "self.items.all(a, self.items.all(b, self.items.all(c, a + b + c >= 0)))";
  current.spec.versions[0].schema.openAPIV3Schema.properties.spec = {
    type: "object",
    properties: { items },
    "x-kubernetes-validations": [{ rule: slow }],
  };
  assert.equal((await api.send("PUT", `${crds}/seats.example.com`, { body: current })).status, 200);
  const spec = { items: Array.from({ length: 60 }, (_, i) => i) };
  const made = await api.send("POST", seats, { body: { apiVersion: "example.com/v1", kind: "Seat", metadata: { name: "c" }, spec } });
  assert.equal(made.status, 422);
  assert.match(made.body.message, /cost/);
});

test("what is deleted is gone", async () => {
  assert.equal((await api.send("DELETE", `${configMaps}/a`)).status, 200);
  assert.equal((await api.send("GET", `${configMaps}/a`)).status, 404);
});

test("a collection with heavy objects is deleted, and the instances of a definition with it", async () => {
  for (const name of ["one", "two"]) await api.send("POST", configMaps, { body: configMap(name, { labels: { many: "yes" } }) });
  const deleted = await api.send("DELETE", `${configMaps}?labelSelector=many%3Dyes`);
  assert.deepEqual(
    deleted.body.items.map(({ metadata }: Json) => metadata.name),
    ["one", "two"],
  );
  assert.equal((await api.send("GET", `${configMaps}?labelSelector=many%3Dyes`)).body.items.length, 0);
  assert.equal((await api.send("GET", `${seats}/b`)).status, 200);
  await api.send("DELETE", `${crds}/seats.example.com`);
  await waitUntil("the definition to be gone", async () => (await api.send("GET", `${crds}/seats.example.com`)).status === 404);
  assert.equal((await api.store.list("/registry/example.com/seats/")).entries.length, 0);
});

test("a watch knows the labels of what was written elsewhere", async () => {
  const watching = await api.watch(`${configMaps}?watch=1&labelSelector=red%3Dyes`);
  await api.send("POST", configMaps, { body: configMap("red", { labels: { red: "yes" } }) });
  await api.send("POST", configMaps, { body: configMap("blue", { labels: { red: "no" } }) });
  await watching.settle();
  assert.deepEqual(
    watching.events.map(({ object }) => object.metadata.name),
    ["red"],
  );
  watching.leave();
});
