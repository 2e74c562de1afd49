/** Status, scale and generation of custom resources. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Json, startApi } from "./api.ts";
import { applyPatch, createWidget, define, definitionOf, merge, schemaOf, widget, widgets } from "./custom-resources.ts";

const integer = { type: "integer" };
const schema = schemaOf({
  properties: {
    spec: { type: "object", properties: { size: integer, color: { type: "string" } } },
    status: { type: "object", properties: { size: integer, selector: { type: "string" } } },
    other: { type: "string" },
  },
});
const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size", labelSelectorPath: ".status.selector" };
const plain = definitionOf({ v1: { schema } });
const full = definitionOf({ v1: { schema, subresources: { status: {}, scale } } });
const path = `${widgets}/a`;

async function start(definition: Json, fields: Json = { spec: { size: 1 }, status: { size: 2 } }): Promise<{ api: Api; created: Json }> {
  const api = await startApi();
  await define(api, definition);
  return { api, created: await createWidget(api, "a", fields) };
}

for (const subresource of ["status", "scale", "nope"]) {
  for (const method of ["GET", "PUT", "PATCH"]) {
    test(`${method} of /${subresource} gets 404 where it is not defined`, async () => {
      const { api, created } = await start(plain);
      const sent = method === "GET" ? {} : { body: created, type: method === "PATCH" ? merge : "application/json" };
      const { status, body } = await api.send(method, `${path}/${subresource}`, sent);
      assert.deepEqual([status, body.message], [404, 'widgets.example.com "a" not found']);
    });
  }
}

test("without the subresource, status is data", async () => {
  const { api, created } = await start(plain);
  assert.deepEqual(created.status, { size: 2 });
  const { body } = await api.send("PATCH", path, { type: merge, body: { status: { size: 3 } } });
  assert.deepEqual([body.status, body.metadata.generation], [{ size: 3 }, 2]);
});

test("with it, status is written through it alone", async () => {
  const { api, created } = await start(full);
  assert.equal(created.status, undefined);
  const main = await api.send("PATCH", path, { type: merge, body: { status: { size: 3 } } });
  assert.deepEqual([main.body.status, main.body.metadata.resourceVersion], [undefined, created.metadata.resourceVersion]);
  const { body } = await api.send("PUT", `${path}/status`, {
    body: { ...created, status: { size: 4 }, spec: { size: 9 }, other: "x", metadata: { ...created.metadata, labels: { a: "b" } } },
  });
  assert.deepEqual([body.status, body.spec, body.other, body.metadata.labels], [{ size: 4 }, { size: 1 }, undefined, undefined]);
  assert.equal(body.metadata.generation, 1);
  const stale = await api.send("PUT", `${path}/status`, { body: { ...created, status: { size: 5 } } });
  assert.equal(stale.status, 409);
});

test("a wrong status is refused", async () => {
  const { api } = await start(full);
  const { status, body } = await api.send("PATCH", `${path}/status`, { type: merge, body: { status: { size: "big" } } });
  assert.equal(status, 422);
  assert.match(body.message, /status\.size: Invalid value: "string": size in body must be of type integer: "string"/);
});

const generations = [
  { name: "a change of spec", body: { spec: { size: 5 } }, generation: 2 },
  { name: "a change of what is neither spec nor status", body: { other: "x" }, generation: 2 },
  { name: "a change of labels", body: { metadata: { labels: { a: "b" } } }, generation: 1 },
  { name: "a change of status", body: { status: { size: 5 } }, at: "/status", generation: 1 },
  { name: "nothing", body: { spec: { size: 1 } }, generation: 1 },
  { name: "a client's own number", body: { metadata: { generation: 7 } }, generation: 1 },
];
for (const { name, body, at = "", generation } of generations) {
  test(`the generation is ${generation} after ${name}`, async () => {
    const { api } = await start(full);
    const answer = await api.send("PATCH", `${path}${at}`, { type: merge, body });
    assert.equal(answer.body.metadata.generation, generation);
  });
}

test("the scale is read where the definition says", async () => {
  const { api, created } = await start(full);
  await api.send("PATCH", `${path}/status`, { type: merge, body: { status: { size: 4, selector: "a=b" } } });
  const { body } = await api.send("GET", `${path}/scale`);
  assert.deepEqual(
    [body.kind, body.apiVersion, body.spec, body.status],
    ["Scale", "autoscaling/v1", { replicas: 1 }, { replicas: 4, selector: "a=b" }],
  );
  assert.deepEqual([body.metadata.uid, body.metadata.name], [created.metadata.uid, "a"]);
});

const scaleOf = (replicas: number, metadata: Json = {}) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "a", namespace: "default", ...metadata },
  spec: { replicas },
});

test("the scale is written where the definition says", async () => {
  const { api, created } = await start(full);
  const put = await api.send("PUT", `${path}/scale`, { body: scaleOf(5) });
  assert.deepEqual([put.status, put.body.spec], [200, { replicas: 5 }]);
  const patched = await api.send("PATCH", `${path}/scale`, { type: merge, body: { spec: { replicas: 6 } } });
  assert.deepEqual(patched.body.spec, { replicas: 6 });
  const applied = await api.send("PATCH", `${path}/scale?fieldManager=m&force=true`, { type: applyPatch, body: scaleOf(7) });
  assert.deepEqual([applied.status, applied.body.spec], [200, { replicas: 7 }]);
  const { body } = await api.send("GET", path);
  assert.deepEqual([body.spec.size, body.metadata.generation], [7, 4]);
  assert.deepEqual(
    body.metadata.managedFields.find(({ manager }: Json) => manager === "m"),
    {
      manager: "m",
      operation: "Apply",
      apiVersion: "example.com/v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:size": {} } },
      subresource: "scale",
    },
  );
  const stale = await api.send("PUT", `${path}/scale`, { body: scaleOf(8, { resourceVersion: created.metadata.resourceVersion }) });
  assert.deepEqual([stale.status, stale.body.reason], [409, "Conflict"]);
  const negative = await api.send("PATCH", `${path}/scale`, { type: merge, body: { spec: { replicas: -1 } } });
  assert.equal(negative.status, 422);
  assert.match(negative.body.message, /^Widget\.example\.com "a" is invalid: .*should be a non-negative integer/);
});

test("what has no replicas yet has no scale to read, but one to write", async () => {
  const { api } = await start(full, { spec: { color: "red" } });
  const read = await api.send("GET", `${path}/scale`);
  assert.deepEqual([read.status, read.body.message], [500, 'Internal error occurred: the spec replicas field ".spec.size" does not exist']);
  const nothing = await api.send("PATCH", `${path}/scale`, { type: merge, body: { metadata: {} } });
  assert.deepEqual([nothing.status, nothing.body.message], [400, 'the spec replicas field ".spec.size" cannot be empty']);
  const written = await api.send("PATCH", `${path}/scale`, { type: merge, body: { spec: { replicas: 3 } } });
  assert.deepEqual([written.status, written.body.spec], [200, { replicas: 3 }]);
  assert.deepEqual((await api.send("GET", path)).body.spec, { color: "red", size: 3 });
});

test("a resource without a resourceVersion is not replaced", async () => {
  const { api } = await start(full);
  const { status, body } = await api.send("PUT", path, { body: widget("a") });
  assert.equal(status, 422);
  assert.equal(
    body.message,
    'widgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  );
});
