/** What becomes of the metadata that a client sends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Json, startApi } from "./api.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const merge = "application/merge-patch+json";

const template = { metadata: { labels: { a: "b" }, creationTimestamp: null }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = (metadata: object): object => ({ metadata, spec: { selector: { matchLabels: { a: "b" } }, template } });

async function created(api: Api, path: string, body: object): Promise<Json> {
  const answer = await api.send("POST", path, { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.metadata;
}

const undomained = (name: string): string =>
  `metadata.finalizers[0]: Invalid value: "${name}": name is neither a standard finalizer name nor is it fully qualified`;
const finalizers: readonly { readonly path: string; readonly finalizer: string; readonly problem?: string }[] = [
  { path: maps, finalizer: "example.com/mine" },
  { path: maps, finalizer: "orphan" },
  { path: maps, finalizer: "foregroundDeletion" },
  { path: maps, finalizer: "kubernetes" },
  { path: maps, finalizer: "mine", problem: undomained("mine") },
  { path: leases, finalizer: "mine" },
];
for (const { path, finalizer, problem } of finalizers) {
  const said = problem === undefined ? "is taken" : "is refused";
  test(`a finalizer ${finalizer} in ${path} ${said}, on create and on update`, async () => {
    const api = await startApi();
    const metadata = { name: "a", finalizers: [finalizer] };
    const made = await api.send("POST", path, { body: { metadata } });
    assert.equal(made.status, problem === undefined ? 201 : 422);
    await api.send("POST", path, { body: { metadata: { name: "b" } } });
    const changed = await api.send("PATCH", `${path}/b`, { body: { metadata: { finalizers: [finalizer] } }, type: merge });
    assert.equal(changed.status, problem === undefined ? 200 : 422);
    if (problem !== undefined)
      for (const { body } of [made, changed]) assert.ok(body.message.endsWith(`is invalid: ${problem}`), body.message);
  });
}

const wrong = "the namespace of the provided object does not match the namespace sent on the request";
const puts: readonly { readonly name: string; readonly metadata: object; readonly code: number; readonly message?: string }[] = [
  { name: "its own name", metadata: { name: "a" }, code: 200 },
  {
    name: "no name",
    metadata: {},
    code: 400,
    message: "the name of the object (a based on URL) was undeterminable: name must be provided",
  },
  {
    name: "another name",
    metadata: { name: "b" },
    code: 400,
    message: "the name of the object (b) does not match the name on the URL (a)",
  },
  { name: "another namespace", metadata: { name: "a", namespace: "b" }, code: 400, message: wrong },
];
for (const { name, metadata, code, message } of puts) {
  test(`a PUT with ${name} is answered with ${code}`, async () => {
    const api = await startApi();
    await created(api, maps, { metadata: { name: "a" } });
    const { status, body } = await api.send("PUT", `${maps}/a`, { body: { metadata } });
    assert.equal(status, code);
    assert.equal(body.message, message);
  });
}

test("a PUT with another namespace is refused even where nothing is", async () => {
  const api = await startApi();
  const { status, body } = await api.send("PUT", `${maps}/absent`, { body: { metadata: { name: "absent", namespace: "b" } } });
  assert.deepEqual([status, body.message], [400, wrong]);
});

test("a cluster-scoped object loses its namespace", async () => {
  const api = await startApi();
  assert.equal((await created(api, "/api/v1/namespaces", { metadata: { name: "n", namespace: "other" } })).namespace, undefined);
});

test("what only the server sets is wiped", async () => {
  const api = await startApi();
  const sent = {
    uid: "mine",
    selfLink: "/me",
    creationTimestamp: "2001-01-01T00:00:00Z",
    deletionTimestamp: "2001-01-01T00:00:00Z",
    deletionGracePeriodSeconds: 9,
  };
  const meta = await created(api, maps, { metadata: { name: "a", ...sent } });
  for (const [key, value] of Object.entries(sent)) assert.notEqual(meta[key], value, key);
  const { selfLink, creationTimestamp } = sent;
  const put = await api.send("PUT", `${maps}/a`, { body: { metadata: { ...meta, selfLink, creationTimestamp, generation: 9 } } });
  assert.equal(put.status, 200);
  assert.deepEqual(put.body.metadata, meta);
});

test("generation counts changes of what is wanted, and the beginning of the end", async () => {
  const api = await startApi();
  const steps: readonly (readonly [string, string, object, number])[] = [
    ["POST", "", deployment({ name: "d", generation: 7, finalizers: ["example.com/mine"] }), 1],
    ["PATCH", "/d", { metadata: { labels: { a: "b" } } }, 1],
    ["PATCH", "/d", { metadata: { annotations: { a: "b" } } }, 2],
    ["PATCH", "/d", { metadata: { generation: 99 } }, 2],
    ["PATCH", "/d", { spec: { paused: true } }, 3],
    ["PATCH", "/d/status", { status: { replicas: 3 } }, 3],
    ["PATCH", "/d", { status: { replicas: 4 } }, 3],
    ["DELETE", "/d", {}, 4],
    ["DELETE", "/d", {}, 4],
  ];
  for (const [method, path, body, generation] of steps) {
    const answer = await api.send(method, deployments + path, { body, ...(method === "PATCH" ? { type: merge } : {}) });
    assert.equal(answer.body.metadata.generation, generation, `${method} ${JSON.stringify(body)}`);
  }
});

test("generated names are cut to 63 characters, and tried eight times", async () => {
  const api = await startApi();
  const { name } = await created(api, maps, { metadata: { generateName: `${"a".repeat(70)}-` } });
  assert.match(name, /^a{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  const writes: string[] = [];
  const { write } = api.store;
  api.store.write = (op, note) => {
    writes.push(op.key);
    return op.op === "put" ? write.call(api.store, { ...op, key: "/registry/namespaces/default" }, note) : write.call(api.store, op, note);
  };
  const { status, body } = await api.send("POST", maps, { body: { metadata: { generateName: "b-" } } });
  assert.equal(status, 409);
  assert.equal(body.reason, "AlreadyExists");
  assert.match(body.message, /^configmaps "b-.{5}" already exists, the server was not able to generate a unique name for the object$/);
  assert.equal(new Set(writes).size, 8);
});

test("what follows from a generated name follows from the one that was free", async () => {
  const api = await startApi();
  const { write } = api.store;
  let taken = 2;
  api.store.write = (op, note) =>
    op.op === "put" && op.key.includes("/namespaces/") && taken-- > 0
      ? write.call(api.store, { ...op, key: "/registry/namespaces/default" }, note)
      : write.call(api.store, op, note);
  const { name, labels } = await created(api, "/api/v1/namespaces", { metadata: { generateName: "n-" } });
  assert.ok(taken < 0);
  assert.deepEqual(labels, { "kubernetes.io/metadata.name": name });
});

test("times take offsets and lose fractions; those of leases keep microseconds", async () => {
  const api = await startApi();
  const pod = await api.send("POST", "/api/v1/namespaces/default/pods", {
    body: { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } },
  });
  const status = { startTime: "2024-01-01T02:00:00.5+02:00" };
  const changed = await api.send("PATCH", "/api/v1/namespaces/default/pods/p/status", { body: { status }, type: merge });
  assert.deepEqual([pod.status, changed.body.status.startTime], [201, "2024-01-01T00:00:00Z"]);
  const spec = { renewTime: "2024-01-01T02:00:00.123456+02:00" };
  const lease = await api.send("POST", leases, { body: { metadata: { name: "l" }, spec } });
  assert.equal(lease.body.spec.renewTime, "2024-01-01T00:00:00.123456Z");
});

test("owner references that repeat are dropped with a warning", async () => {
  const api = await startApi();
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
  const { status, body, headers } = await api.send("POST", maps, { body: { metadata: { name: "a", ownerReferences: [owner, owner] } } });
  assert.equal(status, 201);
  assert.deepEqual(body.metadata.ownerReferences, [owner]);
  assert.match(String(headers.warning), /^299 - "\.metadata\.ownerReferences contains duplicate entries/);
});
