/** Admission compares a write with what is stored, never with what the client says was there. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Api, type Json, type Sent, startApi } from "../integration/api.ts";
import { addPolicy } from "../integration/policies.ts";

const nodes = "/api/v1/nodes";
let api: Api;

/** Once a Node is quarantined, only its deletion by somebody else could end that; nobody may take the label away. */
before(async () => {
  api = await startApi();
  const rule = (resources: string[], operations: string[]): Json => ({ apiGroups: [""], apiVersions: ["v1"], operations, resources });
  const quarantined = (object: string): string =>
    `has(${object}.metadata.labels) && 'quarantine' in ${object}.metadata.labels && ${object}.metadata.labels['quarantine'] == 'yes'`;
  const kept = { expression: `!(${quarantined("oldObject")}) || (${quarantined("object")})`, message: "stays in quarantine" };
  await addPolicy(api, "Validating", { validations: [kept] }, { name: "update", rules: [rule(["nodes", "nodes/status"], ["UPDATE"])] });
  const undeletable = { expression: `!(${quarantined("oldObject")})`, message: "stays in quarantine" };
  await addPolicy(api, "Validating", { validations: [undeletable] }, { name: "delete", rules: [rule(["nodes"], ["DELETE"])] });
});
after(() => api.server.close());

const free = { apiVersion: "v1", kind: "Node", metadata: { name: "n", labels: {} } };
const types = { json: "application/json-patch+json", merge: "application/merge-patch+json", apply: "application/apply-patch+yaml" };
const strategic = "application/strategic-merge-patch+json";

const writes: readonly { name: string; method: string; path: string; sent?: Sent }[] = [
  { name: "an update", method: "PUT", path: `${nodes}/n`, sent: { body: free } },
  { name: "an update of the status", method: "PUT", path: `${nodes}/n/status`, sent: { body: free } },
  {
    name: "a JSON patch",
    method: "PATCH",
    path: `${nodes}/n`,
    sent: { type: types.json, body: [{ op: "remove", path: "/metadata/labels" }] },
  },
  {
    name: "a JSON patch that changes there and back",
    method: "PATCH",
    path: `${nodes}/n`,
    sent: {
      type: types.json,
      body: [
        { op: "replace", path: "/metadata/labels/quarantine", value: "yes" },
        { op: "remove", path: "/metadata/labels/quarantine" },
      ],
    },
  },
  { name: "a merge patch", method: "PATCH", path: `${nodes}/n`, sent: { type: types.merge, body: { metadata: { labels: null } } } },
  {
    name: "a strategic patch",
    method: "PATCH",
    path: `${nodes}/n`,
    sent: { type: strategic, body: { metadata: { labels: { $patch: "replace" } } } },
  },
  {
    name: "a strategic patch of the status",
    method: "PATCH",
    path: `${nodes}/n/status`,
    sent: { type: strategic, body: { metadata: { labels: { quarantine: "no" } } } },
  },
  {
    name: "an apply by force",
    method: "PATCH",
    path: `${nodes}/n?fieldManager=x&force=true`,
    sent: { type: types.apply, body: { ...free, metadata: { name: "n", labels: { quarantine: "no" } } } },
  },
  { name: "a deletion", method: "DELETE", path: `${nodes}/n` },
  { name: "a deletion of all", method: "DELETE", path: nodes },
];

for (const { name, method, path, sent } of writes)
  test(`${name} is judged by the object that is stored`, async () => {
    await api.send("POST", nodes, { body: { ...free, metadata: { name: "n", labels: { quarantine: "yes" } } } });
    const { status, body } = await api.send(method, path, sent);
    const { body: stored } = await api.send("GET", `${nodes}/n`);
    const labels = stored.metadata?.labels;
    if (path.includes("/status") && status === 200) assert.equal(labels?.quarantine, "yes", "the status has changed the labels");
    else assert.match(body.message, /stays in quarantine/);
    assert.equal(labels?.quarantine, "yes");
  });

test("an update on a version that is no longer there is a conflict, before any policy could compare it", async () => {
  const name = "conflicting";
  await api.send("POST", nodes, { body: { ...free, metadata: { name } } });
  const { body: first } = await api.send("GET", `${nodes}/${name}`);
  const quarantine = { type: types.merge, body: { metadata: { labels: { quarantine: "yes" } } } };
  assert.equal((await api.send("PATCH", `${nodes}/${name}`, quarantine)).status, 200);
  const { status } = await api.send("PUT", `${nodes}/${name}`, { body: { ...first, metadata: { ...first.metadata, labels: {} } } });
  assert.ok(status === 409 || status === 422, String(status));
  assert.equal((await api.send("GET", `${nodes}/${name}`)).body.metadata.labels.quarantine, "yes");
});
