/** Lists and watches of one resource show nothing of another whose names begin alike: keys are compared to their last slash. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Api, type Json, startApi } from "../integration/api.ts";
import { define } from "../integration/custom-resources.ts";

const resources = [
  { group: "example.com", plural: "things", kind: "Thing" },
  { group: "example.com", plural: "thingsmore", kind: "ThingMore" },
  { group: "example.com.org", plural: "things", kind: "OtherThing" },
  { group: "a.example.com", plural: "things", kind: "FurtherThing" },
  { group: "example.com", plural: "default", kind: "Default" },
] as const;

const namespaces = ["default", "default-more", "defaul"];
const pathOf = ({ group, plural }: (typeof resources)[number], namespace?: string): string =>
  `/apis/${group}/v1/${namespace === undefined ? "" : `namespaces/${namespace}/`}${plural}`;

let api: Api;
before(async () => {
  api = await startApi();
  for (const name of namespaces) await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
  for (const { group, plural, kind } of resources) {
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const spec = { group, scope: "Namespaced", names: { plural, kind }, versions: [{ name: "v1", served: true, storage: true, schema }] };
    const metadata = { name: `${plural}.${group}` };
    await define(api, { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata, spec });
  }
  for (const resource of resources)
    for (const namespace of namespaces) {
      const body = { apiVersion: `${resource.group}/v1`, kind: resource.kind, metadata: { name: `in-${namespace}` } };
      const { status, text } = await api.send("POST", pathOf(resource, namespace), { body });
      assert.equal(status, 201, text);
    }
});
after(() => api.server.close());

const shown = (items: Json[]): string[] => items.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`).sort();

for (const resource of resources) {
  const { group, plural, kind } = resource;
  test(`a list of ${plural}.${group} shows those alone, of one namespace and of all`, async () => {
    const all = namespaces.map((namespace) => `${kind} ${namespace}`).sort();
    assert.deepEqual(shown((await api.send("GET", pathOf(resource))).body.items), all);
    for (const namespace of namespaces)
      assert.deepEqual(shown((await api.send("GET", pathOf(resource, namespace))).body.items), [`${kind} ${namespace}`]);
  });

  test(`a watch of ${plural}.${group} shows those alone`, async () => {
    const watching = await api.watch(`${pathOf(resource, "default")}?watch=true&resourceVersion=0`);
    await watching.settle();
    assert.deepEqual(shown(watching.events.map(({ object }) => object)), [`${kind} default`]);
    watching.leave();
  });
}

test("a page's continue token of one resource shows nothing of another", async () => {
  const [things, more] = resources;
  const { body } = await api.send("GET", `${pathOf(things)}?limit=1`);
  const { status, body: other } = await api.send("GET", `${pathOf(more)}?limit=500&continue=${body.metadata.continue}`);
  const kinds = new Set((other.items ?? []).map(({ kind }: Json) => kind));
  assert.ok(status === 400 || [...kinds].every((kind) => kind === more.kind), `${status}: ${[...kinds].join()}`);
});

test("the deletion of one collection deletes nothing of another", async () => {
  const [things, ...others] = resources;
  assert.equal((await api.send("DELETE", pathOf(things, "default"))).status, 200);
  assert.deepEqual((await api.send("GET", pathOf(things, "default"))).body.items, []);
  for (const namespace of namespaces.slice(1)) assert.equal((await api.send("GET", pathOf(things, namespace))).body.items.length, 1);
  for (const resource of others) assert.equal((await api.send("GET", pathOf(resource))).body.items.length, namespaces.length);
});
