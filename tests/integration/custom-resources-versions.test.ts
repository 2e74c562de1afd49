/** Versions of custom resources that differ by name alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type Api, type Json, startApi } from "./api.ts";
import { until } from "./conversion-webhook.ts";
import {
  createWidget,
  define,
  definitionOf,
  definitionPath,
  merge,
  redefine,
  schemaOf,
  versionOf,
  widget,
  widgets,
  widgetsIn,
} from "./custom-resources.ts";

const both = definitionOf({ versions: [versionOf("v1", { storage: true }), versionOf("v2")] });
const v2 = widgetsIn("default", "v2");

async function storedVersion(api: Api, name: string): Promise<string> {
  const { entry } = await api.store.get(`/registry/example.com/widgets/default/${name}`);
  return JSON.parse(Buffer.from(entry?.value ?? "{}").toString()).apiVersion;
}

const storeAs = (api: Api, version: string): Promise<Answer> =>
  redefine(api, ({ spec }) => {
    for (const one of spec.versions) one.storage = one.name === version;
  });

test("every version shows every object", async () => {
  const api = await startApi();
  await define(api, both);
  await createWidget(api, "a");
  await createWidget(api, "b", undefined, v2);
  for (const [path, version] of [
    [widgets, "example.com/v1"],
    [v2, "example.com/v2"],
  ] as const) {
    const { items } = (await api.send("GET", path)).body;
    assert.deepEqual(
      items.map(({ apiVersion, metadata }: Json) => [apiVersion, metadata.name]),
      [
        [version, "a"],
        [version, "b"],
      ],
    );
  }
  assert.equal(await storedVersion(api, "b"), "example.com/v1");
});

test("what is read has the defaults of the version that is stored, as far as the version that is served knows them", async () => {
  const api = await startApi();
  const withDefaults = (...names: string[]) =>
    schemaOf({ spec: Object.fromEntries(names.map((name) => [name, { type: "string", default: name }])) });
  const versions = [
    versionOf("v1", { storage: true, schema: withDefaults("both", "stored") }),
    versionOf("v2", { schema: withDefaults("both", "served") }),
  ];
  await define(api, definitionOf({ versions }));
  for (const dryRun of ["?dryRun=All", ""]) {
    const { body } = await api.send("POST", `${v2}${dryRun}`, { body: widget("a", { spec: { served: "x" } }, "v2") });
    assert.deepEqual(body.spec, { both: "both" });
  }
  assert.deepEqual((await api.send("GET", `${widgets}/a`)).body.spec, { both: "both", stored: "stored" });
  await redefine(api, ({ spec }) => {
    spec.versions[0].schema = withDefaults("both", "stored", "later", "served");
    spec.versions[1].schema = withDefaults("both", "served", "other");
  });
  await until(async () => (await api.send("GET", `${widgets}/a`)).body.spec.later === "later");
  assert.deepEqual((await api.send("GET", `${v2}/a`)).body.spec, { both: "both", served: "served" });
});

test("discovery lists the versions by preference", async () => {
  const api = await startApi();
  const versions = ["v1alpha1", "v1beta2", "v1", "v10", "v2"].map((name) => versionOf(name, { storage: name === "v1" }));
  await define(api, definitionOf({ versions }));
  const { body } = await api.send("GET", "/apis/example.com");
  assert.deepEqual(
    body.versions.map(({ version }: Json) => version),
    ["v10", "v2", "v1", "v1beta2", "v1alpha1"],
  );
  assert.equal(body.preferredVersion.version, "v10");
});

test("a watch shows the version it is of", async () => {
  const api = await startApi();
  await define(api, both);
  const watching = await api.watch(`${v2}?watch=1&resourceVersion=${api.store.revision}`);
  await createWidget(api, "a");
  await api.send("DELETE", `${widgets}/a`);
  await watching.settle();
  assert.deepEqual(
    watching.events.map(({ type, object }) => [type, object.apiVersion]),
    [
      ["ADDED", "example.com/v2"],
      ["DELETED", "example.com/v2"],
    ],
  );
});

test("a migration: store in v2, rewrite all objects, drop v1 from storedVersions, remove it", async () => {
  const api = await startApi();
  await define(api, both);
  await createWidget(api, "a");
  assert.deepEqual((await storeAs(api, "v2")).body.status.storedVersions, ["v1", "v2"]);
  assert.equal(await storedVersion(api, "a"), "example.com/v1");

  const early = await redefine(api, ({ spec }) => {
    spec.versions = spec.versions.filter(({ name }: Json) => name === "v2");
  });
  assert.equal(early.status, 422);
  assert.match(
    early.body.message,
    /status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions; v1 was previously a storage version, and must remain in spec\.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status\.storedVersions/,
  );

  const { body } = await api.send("GET", `${v2}/a`);
  assert.equal((await api.send("PUT", `${v2}/a`, { body })).status, 200);
  assert.equal(await storedVersion(api, "a"), "example.com/v2");

  const trim = (storedVersions: string[]) =>
    api.send("PATCH", `${definitionPath()}/status`, { type: merge, body: { status: { storedVersions } } });
  assert.deepEqual((await trim(["v2"])).body.status.storedVersions, ["v2"]);
  const removed = await redefine(api, ({ spec }) => {
    spec.versions = spec.versions.filter(({ name }: Json) => name === "v2");
  });
  assert.equal(removed.status, 200);
  assert.equal((await api.send("GET", `${widgets}/a`)).status, 404);
  assert.equal((await api.send("GET", `${v2}/a`)).body.apiVersion, "example.com/v2");
});

const deprecations = [
  { name: "without a text", v1: { deprecated: true }, warning: "example.com/v1 Widget is deprecated; use example.com/v2 Widget" },
  { name: "with a text", v1: { deprecated: true, deprecationWarning: "use gadgets" }, warning: "use gadgets" },
  { name: "with no better one", v1: { deprecated: true }, v2: { deprecated: true }, warning: "example.com/v1 Widget is deprecated" },
  {
    name: "with a better one that is not served",
    v1: { deprecated: true },
    v2: { served: false },
    warning: "example.com/v1 Widget is deprecated",
  },
];
for (const { name, v1, v2: more = {}, warning } of deprecations) {
  test(`every request to a deprecated version gets a warning: ${name}`, async () => {
    const api = await startApi();
    await define(api, definitionOf({ versions: [versionOf("v1", { storage: true, ...v1 }), versionOf("v2", more)] }));
    const expected = `299 - "${warning}"`;
    for (const answer of [
      await api.send("POST", widgets, { body: widget("a") }),
      await api.send("GET", `${widgets}/a`),
      await api.send("GET", widgets),
      await api.send("PATCH", `${widgets}/a`, { type: merge, body: { spec: { size: 2 } } }),
      await api.send("GET", `${widgets}/absent`),
      await api.send("DELETE", `${widgets}/a`),
    ])
      assert.deepEqual([answer.headers.warning].flat(), [expected]);
  });
}

test("what is not deprecated warns of nothing", async () => {
  const api = await startApi();
  await define(api, definitionOf({ versions: [versionOf("v1", { storage: true, deprecated: true }), versionOf("v2")] }));
  assert.equal((await api.send("GET", v2)).headers.warning, undefined);
});

test("managed fields say in which version they were written", async () => {
  const api = await startApi();
  await define(api, both);
  await api.send("POST", `${widgets}?fieldManager=one`, { body: widget("a") });
  const { body } = await api.send("PATCH", `${v2}/a?fieldManager=two`, { type: merge, body: { spec: { color: "red" } } });
  assert.deepEqual(
    body.metadata.managedFields.map(({ manager, apiVersion }: Json) => [manager, apiVersion]),
    [
      ["one", "example.com/v1"],
      ["two", "example.com/v2"],
    ],
  );
});
