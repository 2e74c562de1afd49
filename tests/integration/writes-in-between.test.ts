/** What another writer does between the steps of a write. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Api, type Json, startApi } from "./api.ts";
import {
  applyPatch,
  createWidget,
  define,
  definitionPath,
  merge,
  namesOf,
  redefine,
  untilGone,
  widget,
  widgetsIn,
} from "./custom-resources.ts";
import { beforeWrite, deletionOf, holdWrite, putOf } from "./scripted-writes.ts";

const namespace = (name: string): Json => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
const configMap = (name: string): Json => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const maps = "/api/v1/namespaces/n/configmaps";

async function finishNamespace(api: Api, name = "n"): Promise<void> {
  await api.send("DELETE", `/api/v1/namespaces/${name}`);
  const { body } = await api.send("GET", `/api/v1/namespaces/${name}`);
  assert.equal((await api.send("PUT", `/api/v1/namespaces/${name}/finalize`, { body: { ...body, spec: {} } })).status, 200);
}

const onNamespaces: readonly { name: string; meanwhile: (api: Api) => Promise<unknown>; status: number; reason?: string }[] = [
  { name: "goes", meanwhile: (api) => finishNamespace(api), status: 404, reason: "NotFound" },
  { name: "begins to go", meanwhile: (api) => api.send("DELETE", "/api/v1/namespaces/n"), status: 403, reason: "Forbidden" },
  {
    name: "gets a label",
    meanwhile: (api) => api.send("PATCH", "/api/v1/namespaces/n", { type: merge, body: { metadata: { labels: { a: "b" } } } }),
    status: 201,
  },
  {
    name: "goes and comes again",
    meanwhile: async (api) => {
      await finishNamespace(api);
      await api.send("POST", "/api/v1/namespaces", { body: namespace("n") });
    },
    status: 201,
  },
];

suite("an object that is created while its namespace", () => {
  for (const { name, meanwhile, status, reason } of onNamespaces)
    test(`${name}: ${status}`, async () => {
      const api = await startApi();
      await api.send("POST", "/api/v1/namespaces", { body: namespace("n") });
      beforeWrite(api.store, putOf("/configmaps/n/c"), () => meanwhile(api));
      const created = await api.send("POST", maps, { body: configMap("c") });
      assert.deepEqual([created.status, created.body.reason], [status, reason]);
      assert.equal((await api.store.list("/registry/configmaps/n/")).entries.length, status === 201 ? 1 : 0);
    });
});

const onDefinitions: readonly { name: string; finalizer?: string; meanwhile: (api: Api) => Promise<unknown>; status: number }[] = [
  {
    name: "goes",
    meanwhile: async (api) => {
      await api.send("DELETE", definitionPath());
      await untilGone(api);
    },
    status: 404,
  },
  { name: "begins to go", finalizer: "example.com/wait", meanwhile: (api) => api.send("DELETE", definitionPath()), status: 403 },
  {
    name: "gets a label",
    meanwhile: (api) => redefine(api, (definition) => Object.assign(definition.metadata, { labels: { a: "b" } })),
    status: 201,
  },
  {
    name: "goes and comes again",
    meanwhile: async (api) => {
      await api.send("DELETE", definitionPath());
      await untilGone(api);
      await define(api);
    },
    status: 404,
  },
];

suite("a custom object that is created while its definition", () => {
  for (const { name, finalizer, meanwhile, status } of onDefinitions)
    test(`${name}: ${status}`, async () => {
      const api = await startApi();
      await define(api);
      const path = widgetsIn("default");
      if (finalizer !== undefined)
        await api.send("POST", path, { body: { ...widget("other"), metadata: { name: "other", finalizers: [finalizer] } } });
      beforeWrite(api.store, putOf("/widgets/default/w"), () => meanwhile(api));
      assert.equal((await api.send("POST", path, { body: widget("w") })).status, status);
      const stored = (await api.store.list("/registry/example.com/widgets/")).entries.map(({ key }) => key.split("/").at(-1));
      assert.equal(stored.includes("w"), status === 201);
    });
});

test("watches see an object as its schema has it, though that has changed while it was written", async () => {
  const api = await startApi();
  await define(api);
  const path = widgetsIn("default");
  await createWidget(api, "w", { spec: { size: 1 } });
  const put = holdWrite(api.store, putOf("/widgets/default/w"));
  const patched = api.send("PATCH", `${path}/w`, { type: merge, body: { spec: { color: "red", size: 2 } } });
  await put.reached;
  await redefine(api, ({ spec }) => {
    delete spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.color;
  });
  const watch = await api.watch(`${path}?watch=true&resourceVersion=${api.store.revision}`);
  await watch.settle();
  put.release();
  assert.equal((await patched).status, 200);
  await watch.settle();
  assert.deepEqual(
    (watch.events as Json[]).map(({ object }) => object.spec),
    [{ size: 2 }],
  );
  assert.deepEqual((await api.send("GET", `${path}/w`)).body.spec, { size: 2 });
});

test("nothing is left of 96 namespaces with custom objects that go at once with their definition", async () => {
  const api = await startApi();
  await define(api);
  const names = Array.from({ length: 96 }, (_, i) => `n-${i}`);
  await Promise.all(names.map((name) => api.send("POST", "/api/v1/namespaces", { body: namespace(name) })));
  const statuses = new Set<number>();
  const live = async (name: string, i: number): Promise<void> => {
    await createWidget(api, "first", undefined, widgetsIn(name));
    const later = Array.from({ length: 4 }, (_, n) => api.send("POST", widgetsIn(name), { body: widget(`later-${n}`) }));
    if (i === 48) await api.send("DELETE", definitionPath());
    const gone = finishNamespace(api, name);
    for (const { status } of await Promise.all(later)) statuses.add(status);
    await gone;
  };
  await Promise.all(names.map(live));
  await untilGone(api);
  assert.deepEqual((await api.store.list("/registry/example.com/")).entries, []);
  assert.deepEqual(
    [...statuses].filter((status) => ![201, 403, 404].includes(status)),
    [],
  );
  await define(api);
  for (const name of names) assert.equal((await api.send("POST", "/api/v1/namespaces", { body: namespace(name) })).status, 201);
  assert.deepEqual(namesOf(await api.send("GET", "/apis/example.com/v1/widgets")), []);
});

test("an apply that loses the creation to another writer is applied to what that made", async () => {
  const api = await startApi();
  const path = "/api/v1/namespaces/default/configmaps";
  beforeWrite(api.store, putOf("/configmaps/default/c"), () =>
    api.send("POST", path, { body: { ...configMap("c"), data: { theirs: "1" } } }),
  );
  const applied = await api.send("PATCH", `${path}/c?fieldManager=me`, {
    type: applyPatch,
    body: { ...configMap("c"), data: { mine: "1" } },
  });
  assert.deepEqual([applied.status, applied.body.data], [200, { theirs: "1", mine: "1" }]);
});

test("a PUT that loses the creation to another writer replaces what that made", async () => {
  const api = await startApi();
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const lease = (holderIdentity: string, more: object = {}): Json => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "l", ...more },
    spec: { holderIdentity },
  });
  beforeWrite(api.store, putOf("/leases/default/l"), () => api.send("POST", path, { body: lease("they") }));
  // A Lease that is there cannot be replaced by one without a version.
  assert.equal((await api.send("PUT", `${path}/l`, { body: lease("me") })).status, 422);
});

suite("a deletion with a version that has marked its Pod", () => {
  const pods = "/api/v1/namespaces/default/pods";
  const pod: Json = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  const key = "/registry/pods/default/p";
  /** Another server on the same store writes in between: writers of one server wait for each other. */
  const removal = async (meanwhile: (api: Api) => Promise<unknown>) => {
    const api = await startApi();
    const { resourceVersion } = (await api.send("POST", pods, { body: pod })).body.metadata;
    beforeWrite(api.store, deletionOf("/pods/default/p"), () => meanwhile(api));
    const body = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { resourceVersion } };
    const { status } = await api.send("DELETE", `${pods}/p`, { body });
    return { api, status };
  };

  test("is not undone by another writer", async () => {
    const { api, status } = await removal(async ({ store }) => {
      const { entry } = await store.get(key);
      await store.write({ op: "put", key, value: entry!.value, expect: entry!.modified });
    });
    assert.deepEqual([status, (await api.send("GET", `${pods}/p`)).status], [200, 404]);
  });

  test("an eviction does not continue with a Pod that was created again", async () => {
    const { api, status } = await removal(async (one) => {
      const { entry } = await one.store.get(key);
      await one.store.write({ op: "delete", key, expect: entry!.modified });
      await one.send("POST", pods, { body: pod });
    });
    assert.deepEqual([status, (await api.send("GET", `${pods}/p`)).body.metadata.deletionTimestamp], [200, undefined]);
  });
});
