/** Patches: the header of the call says which kind it is. */
import assert from "node:assert/strict";
import { apps, as, refused } from "./client.mjs";

/** A deployment with two containers, and a function that patches it. */
async function made(namespace, name) {
  const containers = ["main", "side"].map((container) => ({ name: container, image: `${container}:1` }));
  const spec = {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
  };
  const metadata = { name, labels: { a: "1", b: "2" } };
  const { metadata: created } = await apps.createNamespacedDeployment({ namespace, body: { metadata, spec } });
  const patch = (strategy, body) => apps.patchNamespacedDeployment({ name, namespace, body }, strategy && as(strategy));
  return { patch, resourceVersion: created.resourceVersion };
}

const images = ({ spec }) => Object.fromEntries(spec.template.spec.containers.map(({ name, image }) => [name, image]));

async function jsonPatch(namespace) {
  const { patch } = await made(namespace, "json");
  const change = [
    { op: "test", path: "/metadata/labels/a", value: "1" },
    { op: "remove", path: "/metadata/labels/b" },
    { op: "replace", path: "/spec/template/spec/containers/1/image", value: "side:2" },
  ];
  // It is also what the client takes a patch for when the call does not say.
  const patched = await patch(undefined, change);
  assert.deepEqual([patched.metadata.labels, images(patched).side], [{ a: "1" }, "side:2"]);
  await refused(patch("JsonPatch", change), 422, "Invalid");
}

async function mergePatch(namespace) {
  const { patch, resourceVersion } = await made(namespace, "merge");
  const patched = await patch("MergePatch", { metadata: { labels: { a: null } }, spec: { replicas: 7 } });
  assert.deepEqual([patched.metadata.labels, patched.spec.replicas], [{ b: "2" }, 7]);
  await refused(patch("MergePatch", { metadata: { resourceVersion }, spec: { replicas: 8 } }), 409, "Conflict");
}

async function strategicPatch(namespace) {
  const { patch } = await made(namespace, "strategic");
  const change = (containers) => ({ spec: { template: { spec: { containers } } } });
  const patched = await patch("StrategicMergePatch", change([{ name: "side", image: "side:2" }]));
  assert.deepEqual(images(patched), { main: "main:1", side: "side:2" });
  const shrunk = await patch("StrategicMergePatch", change([{ name: "side", $patch: "delete" }]));
  assert.deepEqual(images(shrunk), { main: "main:1" });
}

export const checks = { "JSON patch": jsonPatch, "merge patch": mergePatch, "strategic merge patch": strategicPatch };
