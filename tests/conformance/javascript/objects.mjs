/** Objects of any kind, from files: each is created, read, replaced by itself without a change, and deleted. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { config, k8s } from "./client.mjs";

const client = k8s.KubernetesObjectApi.makeApiClient(config);

/** The objects of a manifest, in another namespace than the one that its objects name. */
function load(namespace, path) {
  const text = readFileSync(join(import.meta.dirname, "..", ...path), "utf8").replaceAll("python-kinds", namespace);
  return k8s.loadAllYaml(text).map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
}

/** The condition that the server itself adds after the creation, by kind. */
const added = {
  CustomResourceDefinition: { type: "Established", status: "True" },
  FlowSchema: { type: "Dangling" },
  APIService: { type: "Available" },
};

async function settled(object) {
  const wanted = added[object.kind];
  if (wanted === undefined) return object;
  const found = await client.read(object);
  const isThere = found.status?.conditions?.some(({ type, status }) => type === wanted.type && status === (wanted.status ?? status));
  return isThere ? found : settled(object);
}

async function round(object) {
  const created = await settled(await client.create(object));
  assert.deepEqual([created.apiVersion, created.kind], [object.apiVersion, object.kind]);
  const found = await client.read(created);
  assert.deepEqual(found, created);
  const replaced = await client.replace(found);
  assert.equal(replaced.metadata.resourceVersion, created.metadata.resourceVersion, `${object.kind} is changed by its own replacement`);
  const patched = await client.patch({
    ...created,
    metadata: { ...created.metadata, resourceVersion: undefined, labels: { seen: "yes" } },
  });
  assert.equal(patched.metadata.labels.seen, "yes");
  const { items } = await client.list(created.apiVersion, created.kind, created.metadata.namespace);
  assert.ok(
    items.some(({ metadata }) => metadata.name === created.metadata.name),
    `${object.kind} is not in its list`,
  );
  await client.delete(created);
}

const roundOf =
  (...path) =>
  async (namespace) => {
    for (const object of load(namespace, path)) await round(object);
  };

export const checks = {
  "a shop of 23 kinds": roundOf("kubectl", "manifest.yaml"),
  "the kinds that no shop needs": roundOf("python", "manifest.yaml"),
};
