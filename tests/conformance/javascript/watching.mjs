/** Watches and informers. */
import assert from "node:assert/strict";
import { as, config, configMap, core, k8s, recorder } from "./client.mjs";

const pathOf = (namespace) => `/api/v1/namespaces/${namespace}/configmaps`;
const currentVersion = async (namespace) => (await core.listNamespacedConfigMap({ namespace })).metadata.resourceVersion;

const create = (namespace, name) => core.createNamespacedConfigMap({ namespace, body: configMap(name, { n: "0" }, { name }) });
const change = (namespace, name) =>
  core.patchNamespacedConfigMap({ name, namespace, body: { data: { n: "1" } } }, as("StrategicMergePatch"));
const remove = (namespace, name) => core.deleteNamespacedConfigMap({ name, namespace });

async function writeAll(namespace, name) {
  for (const write of [create, change, remove]) await write(namespace, name);
}

/** Records what happens after the version to objects with the label, until `count` of it are seen. */
async function follow(namespace, name, resourceVersion, count) {
  const events = recorder();
  const query = { labelSelector: `name=${name}`, resourceVersion, allowWatchBookmarks: true };
  const request = await new k8s.Watch(config).watch(
    pathOf(namespace),
    query,
    (type, object) => events.record(type, object),
    () => {},
  );
  const seen = await events.until(count);
  request.abort();
  return seen;
}

async function resumed(namespace) {
  const before = await currentVersion(namespace);
  const following = follow(namespace, "followed", before, 3);
  await writeAll(namespace, "followed");
  const live = await following;
  assert.deepEqual(
    live.map(([type, { kind, data }]) => [type, kind, data.n]),
    [
      ["ADDED", "ConfigMap", "0"],
      ["MODIFIED", "ConfigMap", "1"],
      ["DELETED", "ConfigMap", "1"],
    ],
  );
  assert.deepEqual(await follow(namespace, "followed", live[0][1].metadata.resourceVersion, 2), live.slice(1));
}

async function expired(namespace) {
  const [[type, status]] = await follow(namespace, "expired", "1", 1);
  assert.deepEqual([type, status.code, status.reason], ["ERROR", 410, "Expired"]);
}

async function ended(namespace) {
  const done = recorder();
  const query = { resourceVersion: await currentVersion(namespace), timeoutSeconds: 1 };
  await new k8s.Watch(config).watch(pathOf(namespace), query, () => {}, done.record);
  assert.deepEqual(await done.until(1), [[null]], "the end of a watch is no error");
}

async function refusedWatch(namespace) {
  const done = recorder();
  await new k8s.Watch(config).watch(pathOf(namespace), { labelSelector: "a in b" }, () => {}, done.record);
  const [[error]] = await done.until(1);
  assert.equal(error.statusCode, 400);
}

async function informer(namespace) {
  const labelSelector = "name=informed";
  await create(namespace, "informed");
  const seen = recorder();
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector });
  const shared = k8s.makeInformer(config, pathOf(namespace), list, labelSelector);
  for (const verb of ["add", "update", "delete"]) shared.on(verb, ({ data }) => seen.record(verb, data.n));
  // Stopping, the client reports its own abort as an error.
  shared.on("error", (error) => error.name === "AbortError" || seen.record("error", error));
  await shared.start();
  await change(namespace, "informed");
  await seen.until(2);
  assert.equal(shared.get("informed", namespace).data.n, "1");
  // Stopped, it misses a change; started again, it goes on from the version that it had reached.
  await shared.stop();
  await remove(namespace, "informed");
  await shared.start();
  const [added, updated, deleted] = await seen.until(3);
  assert.deepEqual(
    [added, updated, deleted],
    [
      ["add", "0"],
      ["update", "1"],
      ["delete", "1"],
    ],
  );
  assert.deepEqual(shared.list(), []);
  await shared.stop();
}

async function lostInformer(namespace) {
  await create(namespace, "lost");
  const seen = recorder();
  const labelSelector = "name=lost";
  let lists = 0;
  const list = async () => {
    const found = await core.listNamespacedConfigMap({ namespace, labelSelector });
    // As if it had been away for too long after its first list.
    if (lists++ === 0) found.metadata.resourceVersion = "1";
    return found;
  };
  const shared = k8s.makeInformer(config, pathOf(namespace), list, labelSelector);
  for (const verb of ["add", "update", "delete"]) shared.on(verb, ({ data }) => seen.record(verb, data.n));
  await shared.start();
  await change(namespace, "lost");
  assert.deepEqual(await seen.until(2), [
    ["add", "0"],
    ["update", "1"],
  ]);
  assert.equal(lists, 2);
  await shared.stop();
}

export const checks = {
  "live, and resumed from a version": resumed,
  expired,
  "ended by the server": ended,
  refused: refusedWatch,
  "an informer that is stopped and started": informer,
  "an informer that was away for too long": lostInformer,
};
