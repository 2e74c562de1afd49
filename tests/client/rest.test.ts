/** Requests of every kind, over real servers. */
import assert from "node:assert/strict";
import {
  type api,
  clusterRoles,
  configMaps,
  conflictChanges,
  deployments,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNoMatch,
  isNotFound,
  pods,
  replicaSets,
  serviceAccounts,
} from "@coxswain/client";
import { onEachServer } from "./each-server.ts";

type ConfigMap = api.coreV1.ConfigMap;

const named = (name: string, data: Record<string, string> = {}): ConfigMap => ({ metadata: { name, labels: { part: "tests" } }, data });

onEachServer("creates, reads, updates and deletes", async ({ client, namespace }) => {
  const maps = client.resource(configMaps, namespace);
  const created = await maps.create(named("a", { x: "1" }));
  assert.deepEqual([created.kind, created.apiVersion, created.metadata?.namespace], ["ConfigMap", "v1", namespace]);
  await assert.rejects(maps.create(named("a")), isAlreadyExists);
  assert.deepEqual(await maps.get("a"), created);
  const updated = await maps.update({ ...created, data: { x: "2" } });
  assert.notEqual(updated.metadata?.resourceVersion, created.metadata?.resourceVersion);
  await assert.rejects(maps.update({ ...created, data: { x: "3" } }), isConflict);
  const uid = created.metadata?.uid ?? "";
  await assert.rejects(maps.delete("a", { preconditions: { uid: "another" } }), isConflict);
  await maps.delete("a", { preconditions: { uid } });
  await assert.rejects(maps.get("a"), isNotFound);
  await assert.rejects(maps.create(named("Not a name")), isInvalid);
});

onEachServer("tries without writing", async ({ client, namespace }) => {
  const maps = client.resource(configMaps, namespace);
  assert.ok((await maps.create(named("a"), { dryRun: true })).metadata?.uid);
  await assert.rejects(maps.get("a"), isNotFound);
});

onEachServer("lists in pages of one snapshot, and what is selected", async ({ client, namespace }) => {
  const maps = client.resource(configMaps, namespace);
  for (const name of ["a", "b", "c", "d", "e"]) await maps.create(named(name));
  const mine = { labelSelector: "part=tests" };
  const namesOf = (items: readonly ConfigMap[]) => items.map(({ metadata }) => metadata?.name);
  const { items } = await maps.list({ ...mine, pageSize: 2 });
  assert.deepEqual(namesOf(items), ["a", "b", "c", "d", "e"]);
  assert.deepEqual([...new Set(items.map(({ kind, apiVersion }) => `${apiVersion} ${kind}`))], ["v1 ConfigMap"]);
  const sizes: number[] = [];
  const versions = new Set<string>();
  for await (const page of maps.pages({ ...mine, pageSize: 2 })) {
    sizes.push(page.items.length);
    versions.add(page.resourceVersion);
    await maps.create(named(`later-${sizes.length}`));
  }
  assert.deepEqual(sizes, [2, 2, 1]);
  assert.equal(versions.size, 1);
  assert.deepEqual(namesOf((await maps.list({ fieldSelector: "metadata.name=c" })).items), ["c"]);
  await maps.deleteCollection(mine);
  assert.deepEqual((await maps.list(mine)).items, []);
});

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "example.com/web:1" }] } };
const web: api.appsV1.Deployment = {
  metadata: { name: "web" },
  spec: { selector: { matchLabels: { app: "web" } }, replicas: 1, template },
};

onEachServer("patches in each way, scales, and writes the status alone", async ({ client, namespace }) => {
  const all = client.resource(deployments, namespace);
  const { metadata } = await all.create(web);
  await all.patch("web", { type: "merge", patch: { metadata: { labels: { a: "1", b: "2" } } } });
  await all.patch("web", { type: "json", patch: [{ op: "remove", path: "/metadata/labels/b" }] });
  const sidecar = { spec: { template: { spec: { containers: [{ name: "d", image: "example.com/d:1" }] } } } };
  const patched = await all.patch("web", { type: "strategic", patch: sidecar });
  assert.deepEqual(patched.metadata?.labels, { a: "1" });
  assert.deepEqual(patched.spec?.template.spec?.containers.map(({ name }) => name).sort(), ["c", "d"]);
  await all.scale("web", 3);
  assert.equal((await all.get("web")).spec?.replicas, 3);
  // No controller writes this one's status: nothing runs ReplicaSets whose template is never met.
  const sets = client.resource(replicaSets, namespace);
  const set = await sets.create({
    metadata: { name: "set" },
    spec: { replicas: 0, selector: { matchLabels: { app: "none" } }, template: { ...template, metadata: { labels: { app: "none" } } } },
  });
  const status = await sets.updateStatus({
    ...set,
    spec: { ...set.spec!, replicas: 9 },
    status: { replicas: 0, conditions: [{ type: "Tested", status: "True" }] },
  });
  assert.equal(status.spec?.replicas, 0);
  assert.equal(status.status?.conditions?.[0]?.type, "Tested");
  await all.delete({ namespace, name: "web" }, { preconditions: { uid: metadata?.uid ?? "" }, propagationPolicy: "Background" });
});

onEachServer("apply reports the field managers that it conflicts with", async ({ client, namespace, another }) => {
  const bob = (await another({ fieldManager: "bob" })).resource(configMaps, namespace);
  const ann = client.resource(configMaps, namespace);
  await ann.apply(named("a", { x: "1" }), { fieldManager: "ann" });
  await assert.rejects(bob.apply(named("a", { x: "2" }), { fieldManager: "bob" }), (error) => {
    assert.ok(isConflict(error));
    assert.deepEqual(conflictChanges(error), [{ reason: "FieldManagerConflict", message: 'conflict with "ann"', field: ".data.x" }]);
    return true;
  });
  assert.deepEqual((await bob.apply(named("a", { x: "2" }), { fieldManager: "bob", force: true })).data, { x: "2" });
});

onEachServer("a client sends its field manager and reports warnings", async ({ namespace, another }) => {
  const warnings: string[] = [];
  const ann = await another({ fieldManager: "ann", onWarning: (text) => warnings.push(text) });
  const odd = { ...named("a"), spec: {} };
  const { metadata } = await ann.resource(configMaps, namespace).create(odd, { fieldValidation: "Warn" });
  assert.deepEqual(warnings, ['unknown field "spec"']);
  assert.deepEqual(
    metadata?.managedFields?.map(({ manager }) => manager),
    ["ann"],
  );
});

onEachServer("reaches subresources, and names with colons", async ({ client, namespace }) => {
  const accounts = client.resource(serviceAccounts, namespace);
  await accounts.create({ metadata: { name: "robot" } });
  const request = { kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", spec: { audiences: [] } };
  const { status } = await accounts.subresource("robot", "token").create(request);
  assert.match((status as { token: string }).token, /^ey/);
  const roles = client.resource(clusterRoles);
  await roles.create({ metadata: { name: `${namespace}:odd:name` }, rules: [] });
  await roles.delete(`${namespace}:odd:name`);
});

onEachServer("finds out what the server offers", async ({ client }) => {
  assert.deepEqual(await client.refOf({ apiVersion: "apps/v1", kind: "Deployment" }), deployments);
  assert.deepEqual(await client.refOf({ apiVersion: "v1", kind: "Pod" }), pods);
  await assert.rejects(client.refOf({ apiVersion: "apps/v1", kind: "Pod" }), isNoMatch);
  const { resources, failed } = await client.discover();
  assert.deepEqual(failed, []);
  const found = resources.find(({ group, resource }) => group === "" && resource === "pods");
  assert.ok(found);
  assert.ok(found.verbs.includes("deletecollection") && found.shortNames.includes("po"));
  assert.ok(found.subresources.some(({ name, responseKind }) => name === "eviction" && responseKind.group === "policy"));
});
