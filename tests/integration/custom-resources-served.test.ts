/** Custom resources come, change and go with their definitions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuTimeOf } from "../cpu-time.ts";
import { type Api, type Json, startApi } from "./api.ts";
import { definitions, until } from "./conversion-webhook.ts";
import {
  createWidget,
  define,
  definitionOf,
  group,
  redefine,
  schemaOf,
  untilCondition,
  untilGone,
  versionOf,
  widget,
  widgets,
  widgetsIn,
  widgetsName,
} from "./custom-resources.ts";

const v3 = `/openapi/v3/apis/${group}/v1`;
const publishedName = "com.example.v1.Widget";

/** As much work as reading and printing a megabyte of JSON so many times. */
const maxWork = 10;

test("a definition is established, served, discovered and published at once, while the clock stands still", async (t) => {
  const api = await startApi();
  await serve(api, "firsts", "First"); // What is built in is made once, by whoever asks first.
  const text = JSON.stringify(Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`key-${i}`, `value ${i}`])));
  const unit = cpuTimeOf(() => JSON.stringify(JSON.parse(text)));
  const before = process.threadCpuUsage();
  for (let n = 0; n < 10; n++) await serve(api, `things${n}`, `Thing${n}`);
  const { user, system } = process.threadCpuUsage(before);
  const work = (user + system) / 10 / unit;
  t.diagnostic(`each is as much work as ${work.toFixed(1)} MB of JSON`);
  assert.ok(work < maxWork, `each is as much work as ${work} MB of JSON`);
});

async function serve(api: Api, plural: string, kind: string): Promise<void> {
  await define(api, definitionOf({ plural, kind }));
  const lists = await api.send("GET", `/apis/${group}/v1/${plural}`);
  const groups = await api.send("GET", "/apis");
  const { resources } = (await api.send("GET", `/apis/${group}/v1`)).body;
  const { components } = (await api.send("GET", v3)).body;
  const { definitions: published } = (await api.send("GET", "/openapi/v2")).body;
  assert.equal(lists.status, 200);
  assert.ok(groups.body.groups.some(({ name }: Json) => name === group));
  assert.ok(resources.some(({ name }: Json) => name === plural));
  for (const schemas of [components.schemas, published])
    assert.equal(schemas[`com.example.v1.${kind}`].properties.spec.properties.size.type, "integer");
}

test("the conditions say how it went", async () => {
  const api = await startApi();
  const created = await api.send("POST", definitions, { body: definitionOf() });
  assert.deepEqual(created.body.status, { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] });
  await untilCondition(api, widgetsName, "Established", "True");
  const { status } = (await api.send("GET", `${definitions}/${widgetsName}`)).body;
  assert.deepEqual(status.acceptedNames, { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" });
  assert.deepEqual(
    status.conditions.map(({ type, status: so, reason, message }: Json) => [type, so, reason, message]),
    [
      ["NamesAccepted", "True", "NoConflicts", "no conflicts found"],
      ["Established", "True", "InitialNamesAccepted", "the initial names have been accepted"],
    ],
  );
});

const unserved = [
  { name: "a version that is not served", path: widgetsIn("default", "v2") },
  { name: "an unknown version", path: widgetsIn("default", "v9") },
  { name: "the discovery of an unknown version", path: `/apis/${group}/v9` },
  { name: "another resource of the group", path: `/apis/${group}/v1/gadgets` },
  { name: "a namespaced resource without a namespace", path: `/apis/${group}/v1/widgets/a` },
  { name: "a cluster-scoped resource in a namespace", path: `/apis/${group}/v1/namespaces/default/planets` },
  { name: "a creation without a namespace", path: `/apis/${group}/v1/widgets`, method: "POST" },
];
for (const { name, path, method = "GET" } of unserved) {
  test(`${name} is not served and gets 404`, async () => {
    const api = await startApi();
    await define(api, definitionOf({ versions: [versionOf("v1", { storage: true }), versionOf("v2", { served: false })] }));
    await define(api, definitionOf({ plural: "planets", kind: "Planet", scope: "Cluster" }));
    const answer = await api.send(method, path, method === "GET" ? {} : { body: widget("a") });
    assert.deepEqual([answer.status, answer.text], [404, "404 page not found\n"]);
  });
}

test("what is cluster-scoped has no namespace", async () => {
  const api = await startApi();
  await define(api, definitionOf({ plural: "planets", kind: "Planet", scope: "Cluster" }));
  const path = `/apis/${group}/v1/planets`;
  const { status, body } = await api.send("POST", path, { body: { ...widget("earth"), kind: "Planet" } });
  assert.deepEqual([status, body.metadata.namespace], [201, undefined]);
  assert.equal((await api.send("GET", `${path}/earth`)).status, 200);
  const { resources } = (await api.send("GET", `/apis/${group}/v1`)).body;
  assert.equal(resources[0].namespaced, false);
});

test("a change of schema is seen at once, also on what was stored before", async () => {
  const api = await startApi();
  await define(api);
  await createWidget(api, "a", { spec: { size: 1, color: "red" } });
  const spec = { size: { type: "integer" }, weight: { type: "integer", default: 7 } };
  await redefine(api, ({ spec: { versions } }) => {
    versions[0].schema = schemaOf({ spec });
  });
  assert.deepEqual((await api.send("GET", `${widgets}/a`)).body.spec, { size: 1, weight: 7 });
  assert.deepEqual((await api.send("GET", widgets)).body.items[0].spec, { size: 1, weight: 7 });
  assert.deepEqual((await createWidget(api, "b", { spec: { weight: 8, color: "red" } })).spec, { weight: 8 });
  const published = (await api.send("GET", v3)).body.components.schemas[publishedName].properties.spec.properties;
  assert.deepEqual(Object.keys(published), ["size", "weight"]);
  await redefine(api, ({ spec: { versions } }) => {
    versions[0].schema = schemaOf();
  });
  assert.deepEqual((await api.send("GET", `${widgets}/a`)).body.spec, { size: 1, color: "red" }, "reads write nothing");
});

test("watches end when the definition changes and when it goes", async () => {
  const api = await startApi();
  await define(api, definitionOf({ names: { shortNames: ["wd"] } }));
  await createWidget(api, "a");
  const first = await api.watch(`${widgets}?watch=1`);
  await redefine(api, ({ metadata }) => {
    metadata.labels = { a: "b" };
  });
  await first.settle();
  assert.equal(first.ended, false, "labels define nothing");
  await redefine(api, ({ spec }) => {
    spec.versions[0].schema = schemaOf({ spec: { size: { type: "integer", default: 3 } } });
  });
  await until(() => first.ended);
  const second = await api.watch(`${widgets}?watch=1`);
  await api.send("DELETE", `${definitions}/${widgetsName}`);
  await until(() => second.ended);
  assert.deepEqual(
    second.events.map(({ type }) => type),
    ["ADDED", "DELETED"],
  );
  await untilGone(api);
  assert.equal((await api.send("GET", `/apis/${group}`)).status, 404);
  assert.equal((await api.send("GET", v3)).status, 404);
});

test("200 definitions at once are all served", async () => {
  const api = await startApi();
  const plurals = Array.from({ length: 200 }, (_, i) => `things${i}`);
  await Promise.all(plurals.map((plural, i) => define(api, definitionOf({ plural, kind: `Thing${i}` }))));
  const { resources } = (await api.send("GET", `/apis/${group}/v1`)).body;
  assert.equal(resources.length, plurals.length);
  const created = await Promise.all(plurals.map((plural, i) => createThing(api, plural, `Thing${i}`)));
  assert.ok(created.every((status) => status === 201));
});

async function createThing(api: Api, plural: string, kind: string): Promise<number> {
  const body = { ...widget("a"), kind };
  return (await api.send("POST", `/apis/${group}/v1/namespaces/default/${plural}`, { body })).status;
}

test("the keys of custom objects and their lists are sorted", async () => {
  const api = await startApi();
  await define(api, definitionOf({ v1: { subresources: { status: {} } } }));
  const created = await createWidget(api, "a", { spec: { size: 1, color: "red" } });
  assert.deepEqual(Object.keys(created), ["apiVersion", "kind", "metadata", "spec"]);
  assert.deepEqual(Object.keys(created.spec), ["color", "size"]);
  for (const target of [`${widgets}/a`, `${widgets}/a?pretty=true`]) {
    const { text } = await api.send("GET", target);
    assert.match(
      text.replaceAll(/\s/g, ""),
      /^\{"apiVersion":.*,"kind":.*,"metadata":\{.*"managedFields":.*"name":.*"uid":.*\},"spec":\{"color":"red","size":1\}\}$/,
    );
  }
  const list = await api.send("GET", widgets);
  assert.deepEqual(Object.keys(list.body), ["apiVersion", "items", "kind", "metadata"]);
  const none = await api.send("GET", `${widgets}?labelSelector=a`);
  assert.deepEqual([none.body.kind, none.body.items], ["WidgetList", []]);
});
