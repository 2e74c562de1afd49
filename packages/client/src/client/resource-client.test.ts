import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../contracts/client.ts";
import { deployments, namespaces, pods } from "../resources/built-in.ts";
import { scriptedClient } from "../rest/scripted-transport.ts";

const web = { metadata: { name: "web", namespace: "shop", resourceVersion: "7" } };
const webOf = { ...web, kind: "Deployment", apiVersion: "apps/v1" };
const base = "/apis/apps/v1/namespaces/shop/deployments";
const me = "fieldManager=me";

const cases: readonly { name: string; act: (client: Client) => Promise<unknown>; line: string; type?: string; body?: unknown }[] = [
  {
    name: "get",
    act: (c) => c.resource(deployments, "shop").get("web", { resourceVersion: "0" }),
    line: `GET ${base}/web?resourceVersion=0`,
  },
  {
    name: "create",
    act: (c) => c.resource(deployments).create(web, { dryRun: true, fieldValidation: "Strict" }),
    line: `POST ${base}?${me}&dryRun=All&fieldValidation=Strict`,
    body: webOf,
  },
  {
    name: "create without a name",
    act: (c) => c.resource(pods).create({ metadata: { generateName: "p-" }, spec: { containers: [] } }),
    line: `POST /api/v1/namespaces/home/pods?${me}`,
    body: { metadata: { generateName: "p-" }, spec: { containers: [] }, kind: "Pod", apiVersion: "v1" },
  },
  {
    name: "update",
    act: (c) => c.resource(deployments).update(web, { fieldManager: "other" }),
    line: `PUT ${base}/web?fieldManager=other`,
    body: webOf,
  },
  {
    name: "update of an object that was read",
    act: (c) => c.resource(deployments).update({ ...web, metadata: { ...web.metadata, managedFields: [{ manager: "other" }] } }),
    line: `PUT ${base}/web?${me}`,
    body: { ...webOf, metadata: { ...web.metadata, managedFields: [{ manager: "other" }] } },
  },
  {
    name: "update of an object that was read, without its managed fields",
    act: (c) =>
      c
        .with({ omitsManagedFields: true })
        .resource(deployments)
        .update({ ...web, metadata: { ...web.metadata, managedFields: [{ manager: "other" }] } }),
    line: `PUT ${base}/web?${me}`,
    body: webOf,
  },
  { name: "updateStatus", act: (c) => c.resource(deployments).updateStatus(web), line: `PUT ${base}/web/status?${me}`, body: webOf },
  {
    name: "merge patch",
    act: (c) => c.resource(deployments, "shop").patch("web", { type: "merge", patch: { spec: { paused: true } } }),
    line: `PATCH ${base}/web?${me}`,
    type: "application/merge-patch+json",
    body: { spec: { paused: true } },
  },
  {
    name: "strategic merge patch of a subresource",
    act: (c) => c.resource(deployments, "shop").patch("web", { type: "strategic", patch: {} }, { subresource: "status" }),
    line: `PATCH ${base}/web/status?${me}`,
    type: "application/strategic-merge-patch+json",
    body: {},
  },
  {
    name: "JSON patch",
    act: (c) => c.resource(deployments, "shop").patch("web", { type: "json", patch: [{ op: "remove", path: "/x" }] }),
    line: `PATCH ${base}/web?${me}`,
    type: "application/json-patch+json",
    body: [{ op: "remove", path: "/x" }],
  },
  {
    name: "apply",
    act: (c) => c.resource(deployments).apply(web, { fieldManager: "ann", force: true }),
    line: `PATCH ${base}/web?fieldManager=ann&force=true`,
    type: "application/apply-patch+yaml",
    body: webOf,
  },
  {
    name: "delete",
    act: (c) =>
      c
        .resource(deployments)
        .delete({ namespace: "shop", name: "web" }, { preconditions: { uid: "u" }, gracePeriodSeconds: 0, dryRun: true }),
    line: `DELETE ${base}/web`,
    body: { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "u" }, gracePeriodSeconds: 0, dryRun: ["All"] },
  },
  {
    name: "deleteCollection",
    act: (c) => c.resource(deployments, "shop").deleteCollection({ labelSelector: "a=b", propagationPolicy: "Foreground" }),
    line: `DELETE ${base}?labelSelector=a%3Db`,
    body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Foreground" },
  },
  {
    name: "scale",
    act: (c) => c.resource(deployments, "shop").scale("web", 0),
    line: `PATCH ${base}/web/scale?${me}`,
    type: "application/merge-patch+json",
    body: { spec: { replicas: 0 } },
  },
  {
    name: "another subresource",
    act: (c) =>
      c
        .resource(pods, "shop")
        .subresource("p", "eviction")
        .create({ kind: "Eviction", apiVersion: "policy/v1", metadata: { name: "p" } }),
    line: `POST /api/v1/namespaces/shop/pods/p/eviction?${me}`,
    body: { kind: "Eviction", apiVersion: "policy/v1", metadata: { name: "p" } },
  },
];
for (const { name, act, line, type = "application/json", body } of cases)
  test(name, async () => {
    const { client, transport } = scriptedClient(() => ({ body: { kind: "Status", apiVersion: "v1", status: "Success" } }), {
      fieldManager: "me",
      namespace: "home",
    });
    await act(client);
    const [request] = transport.requests;
    assert.equal(`${request?.method} ${request?.path}`, line);
    assert.equal(request?.headers.accept, "application/json");
    assert.equal(request?.headers["content-type"], body === undefined ? undefined : type);
    assert.deepEqual(request?.body === undefined ? undefined : JSON.parse(new TextDecoder().decode(request.body)), body);
  });

const nameless: readonly [name: string, act: (client: Client) => Promise<unknown>][] = [
  ["get", (c) => c.resource(namespaces).get("")],
  ["update", (c) => c.resource(namespaces).update({ metadata: {} })],
  ["patch", (c) => c.resource(namespaces).patch("", { type: "merge", patch: {} })],
  ["apply", (c) => c.resource(namespaces).apply({ metadata: {} }, { fieldManager: "me" })],
  ["delete", (c) => c.resource(namespaces).delete("")],
  ["scale", (c) => c.resource(deployments).scale("", 1)],
  ["subresource", (c) => c.resource(pods).subresource("", "status").get()],
];
for (const [name, act] of nameless)
  test(`${name} without a name sends nothing`, async () => {
    const { client, transport } = scriptedClient(() => ({}));
    await assert.rejects(act(client), { name: "TypeError", message: "the name is empty" });
    assert.equal(transport.requests.length, 0);
  });

test("a delete returns what became of the object, where the server does", async () => {
  const object = { ...webOf, metadata: { ...web.metadata, deletionTimestamp: "2026-11-21T08:00:00Z" } };
  const { client } = scriptedClient((_, count) => ({
    body: count === 1 ? object : { kind: "Status", apiVersion: "v1", status: "Success", details: { name: "web", uid: "u" } },
  }));
  const deleted: string[] = [];
  const onDeleted = (uid: string) => void deleted.push(uid);
  assert.deepEqual(await client.resource(deployments, "shop").delete("web", { onDeleted }), object);
  assert.deepEqual(deleted, []);
  assert.equal(await client.resource(deployments, "shop").delete("web", { onDeleted }), undefined);
  assert.deepEqual(deleted, ["u"]);
});

test("large numbers arrive and leave whole", async () => {
  const text = '{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"a"},"n":9007199254740993}';
  const { client, transport } = scriptedClient(() => ({ body: text }));
  const got = await client.resource(namespaces).get("a");
  assert.equal(got.n, 9007199254740993n);
  await client.resource(namespaces).update(got);
  assert.match(new TextDecoder().decode(transport.requests[1]?.body), /"n":9007199254740993/);
});
