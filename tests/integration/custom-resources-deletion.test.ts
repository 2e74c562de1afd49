/** The end of a definition: its instances are deleted first, and then it can be created again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { StorageError } from "@coxswain/store";
import { storeUnderTest } from "../store-under-test.ts";
import { type Api, changesAfter, type Json, startApi } from "./api.ts";
import { definitions, until } from "./conversion-webhook.ts";
import {
  applyPatch,
  createWidget,
  define,
  definitionOf,
  definitionPath,
  merge,
  namesOf,
  schemaOf,
  untilCondition,
  untilGone,
  widget,
  widgets,
  widgetsIn,
  widgetsName,
} from "./custom-resources.ts";
import { beforeWrite, deletionOf } from "./scripted-writes.ts";

const storedKeys = async (api: Api): Promise<string[]> => (await api.store.list("/registry/example.com/")).entries.map(({ key }) => key);

/** One widget that is held by a finalizer, and one that is not; their definition is being deleted. */
async function ending(api: Api): Promise<void> {
  await define(api);
  const held = { ...widget("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } };
  assert.equal((await api.send("POST", widgets, { body: held })).status, 201);
  await createWidget(api, "free");
  assert.equal((await api.send("DELETE", definitionPath())).status, 200);
  await untilCondition(api, widgetsName, "Terminating", "True");
  await until(async () => (await api.send("GET", `${widgets}/free`)).status === 404);
}

const letGo = (api: Api) => api.send("PATCH", `${widgets}/held`, { type: merge, body: { metadata: { finalizers: null } } });

test("the answer to the deletion shows that it has begun", async () => {
  const api = await startApi();
  await define(api);
  const { status, body } = await api.send("DELETE", definitionPath());
  assert.equal(status, 200);
  assert.notEqual(body.metadata.deletionTimestamp, undefined);
  assert.deepEqual(body.metadata.finalizers, ["customresourcecleanup.apiextensions.k8s.io"]);
  const { status: so, reason, message } = body.status.conditions.find(({ type }: Json) => type === "Terminating");
  assert.deepEqual(
    [so, reason, message],
    ["True", "InstanceDeletionPending", "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"],
  );
  await untilGone(api);
});

test("a second deletion, after the instances are gone, does not begin again", async () => {
  const api = await startApi();
  await define(api);
  await api.send("PATCH", definitionPath(), { type: merge, body: { metadata: { finalizers: ["example.com/hold"] } } });
  await api.send("DELETE", definitionPath());
  await untilCondition(api, widgetsName, "Terminating", "False");
  const { body: before } = await api.send("GET", definitionPath());
  const { body: second } = await api.send("DELETE", definitionPath());
  const { resourceVersion: _, ...metadata } = before.metadata;
  assert.deepEqual(
    { ...second.metadata, resourceVersion: undefined },
    { ...metadata, deletionGracePeriodSeconds: 0, resourceVersion: undefined },
  );
  assert.deepEqual(second.status, before.status);
  const { revision } = api.store;
  await api.send("DELETE", definitionPath());
  assert.deepEqual(changesAfter(api.store, revision, "/registry/apiextensions.k8s.io/"), []);
});

test("instances with finalizers hold the definition, and can be read and let go", async () => {
  const api = await startApi();
  await ending(api);
  const held = await api.send("GET", `${widgets}/held`);
  assert.notEqual(held.body.metadata.deletionTimestamp, undefined);
  assert.equal((await api.send("GET", definitionPath())).status, 200);
  assert.equal((await api.send("GET", "/apis/example.com/v1")).status, 200);
  assert.equal((await letGo(api)).status, 200);
  await untilGone(api);
  assert.equal((await api.send("GET", widgets)).status, 404);
  assert.deepEqual(await storedKeys(api), []);
});

const creations = [
  { name: "POST", send: (api: Api) => api.send("POST", widgets, { body: widget("new") }) },
  { name: "dry run", send: (api: Api) => api.send("POST", `${widgets}?dryRun=All`, { body: widget("new") }) },
  { name: "apply", send: (api: Api) => api.send("PATCH", `${widgets}/new?fieldManager=m`, { type: applyPatch, body: widget("new") }) },
];
for (const { name, send } of creations) {
  test(`nothing is created any more: ${name}`, async () => {
    const api = await startApi();
    await ending(api);
    const { status, body } = await send(api);
    assert.equal(status, 403);
    assert.equal(body.reason, "Forbidden");
    assert.equal(
      body.message,
      'widgets.example.com "new" is forbidden: create not allowed while custom resource definition is terminating',
    );
  });
}

test("what is left can still be changed", async () => {
  const api = await startApi();
  await ending(api);
  const { status, body } = await api.send("PATCH", `${widgets}/held`, { type: merge, body: { spec: { size: 9 } } });
  assert.deepEqual([status, body.spec.size], [200, 9]);
});

test("the names can be used again, and nothing of the old is left", async () => {
  const api = await startApi();
  await ending(api);
  const again = await api.send("POST", definitions, { body: definitionOf() });
  assert.equal(again.status, 409);
  assert.equal(
    again.body.message,
    `object is being deleted: customresourcedefinitions.apiextensions.k8s.io "${widgetsName}" already exists`,
  );
  await letGo(api);
  await untilGone(api);
  await define(api, definitionOf({ v1: { schema: schemaOf({ spec: { weight: { type: "integer", default: 5 } } }) } }));
  assert.deepEqual(namesOf(await api.send("GET", widgets)), []);
  assert.deepEqual((await createWidget(api, "held", { spec: { size: 1 } })).spec, { weight: 5 });
});

test("a definition deleted and created again at once is always served as the new one", async () => {
  const api = await startApi();
  for (let round = 0; round < 20; round++) {
    const schema = schemaOf({ spec: { round: { type: "integer", default: round } } });
    await until(async () => (await api.send("POST", definitions, { body: definitionOf({ v1: { schema } }) })).status === 201);
    await untilCondition(api, widgetsName, "Established", "True");
    assert.deepEqual(namesOf(await api.send("GET", widgets)), []);
    assert.deepEqual((await createWidget(api, "a", { spec: {} })).spec, { round });
    // Whichever comes first: what is made goes with the definition, and what comes after its end is refused.
    const [made] = await Promise.all([api.send("POST", widgets, { body: widget("b") }), api.send("DELETE", definitionPath())]);
    assert.ok(made.status === 201 || made.body.message.endsWith("create not allowed while custom resource definition is terminating"));
  }
  await untilGone(api);
  assert.deepEqual(await storedKeys(api), []);
});

test("an instance that cannot be deleted at first is deleted again", async () => {
  const api = await startApi();
  await define(api);
  for (const name of ["a", "b"]) await createWidget(api, name);
  beforeWrite(api.store, deletionOf("/widgets/default/a"), fullDisk);
  await api.send("DELETE", definitionPath());
  await until(async () => (await storedKeys(api)).length === 1);
  api.clock.advance(1_000);
  await untilGone(api);
});

const sweeps: readonly { name: string; meanwhile: (api: Api) => Promise<unknown> }[] = [
  { name: "whose deletion fails", meanwhile: fullDisk },
  {
    name: "that is written meanwhile",
    meanwhile: async ({ store }) => {
      const [entry] = (await store.list("/registry/example.com/")).entries;
      await store.write({ op: "put", key: entry!.key, value: entry!.value, expect: entry!.modified });
    },
  },
];
for (const { name, meanwhile } of sweeps)
  test(`an instance ${name} does not outlive a definition whose own finalizer was taken away`, async () => {
    const api = await startApi();
    await define(api);
    await api.send("POST", widgets, { body: { ...widget("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } } });
    await api.send("DELETE", definitionPath());
    await untilCondition(api, widgetsName, "Terminating", "True");
    await until(async () => (await api.send("GET", `${widgets}/held`)).body.metadata.deletionTimestamp !== undefined);
    beforeWrite(api.store, deletionOf("/widgets/default/held"), () => meanwhile(api));
    await api.send("PATCH", definitionPath(), { type: merge, body: { metadata: { finalizers: [] } } });
    await untilGone(api);
    await define(api);
    await createWidget(api, "new");
    api.clock.advance(1_000);
    await until(async () => (await storedKeys(api)).length === 1);
    assert.deepEqual(namesOf(await api.send("GET", widgets)), ["new"]);
  });

async function fullDisk(): Promise<never> {
  throw new StorageError("the disk is full");
}

test("instances of all namespaces go, however many", async () => {
  const api = await startApi();
  await define(api);
  const names = Array.from({ length: 300 }, (_, i) => `w${i}`);
  await Promise.all(names.map((name, i) => createWidget(api, name, undefined, widgetsIn(i % 2 === 0 ? "default" : "kube-system"))));
  await api.send("DELETE", definitionPath());
  await untilGone(api);
  assert.deepEqual(await storedKeys(api), []);
});

test("a definition that was never established goes at once", async () => {
  const api = await startApi();
  await define(api);
  await api.send("POST", definitions, { body: definitionOf({ plural: "gadgets", kind: "Widget" }) });
  await untilCondition(api, "gadgets.example.com", "NamesAccepted", "False");
  await api.send("DELETE", definitionPath("gadgets.example.com"));
  await untilGone(api, definitionPath("gadgets.example.com"));
  assert.equal((await api.send("GET", widgets)).status, 200);
});

test("a restarted server serves stored custom resources", async () => {
  const store = await storeUnderTest(new ManualClock());
  const before = await startApi({ store });
  await define(before);
  const created = await createWidget(before, "a");
  await before.server.close();
  const api = await startApi({ store });
  assert.deepEqual((await api.send("GET", `${widgets}/a`)).body, created);
  const watching = await api.watch(`${widgets}?watch=1&resourceVersion=${created.metadata.resourceVersion}`);
  await createWidget(api, "b");
  await watching.settle();
  assert.deepEqual(
    watching.events.map(({ object }) => object.metadata.name),
    ["b"],
  );
});

test("a restarted server finishes a definition's deletion that was in progress", async () => {
  const store = await storeUnderTest(new ManualClock());
  const before = await startApi({ store });
  await ending(before);
  await before.server.close();
  const api = await startApi({ store });
  assert.equal((await api.send("POST", widgets, { body: widget("new") })).status, 403);
  await letGo(api);
  await untilGone(api);
  assert.deepEqual(await storedKeys(api), []);
});

test("a restarted server starts a definition's deletion that was only requested", async () => {
  const store = await storeUnderTest(new ManualClock());
  const before = await startApi({ store });
  await define(before);
  await createWidget(before, "a");
  await before.server.close(); // Its definitions are not looked after any more.
  await before.send("DELETE", definitionPath());
  const api = await startApi({ store });
  await untilGone(api);
  assert.deepEqual(await storedKeys(api), []);
});
