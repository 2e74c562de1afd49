/** Custom resources in lists, Tables and other forms. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, changesAfter, type Json, startApi } from "./api.ts";
import { createWidget, define, definitionOf, group, merge, namesOf, redefine, schemaOf, widgets, widgetsIn } from "./custom-resources.ts";

const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
const protobuf = "application/vnd.kubernetes.protobuf";

async function some(api: Api, names: readonly string[], definition: Json = definitionOf()): Promise<void> {
  await define(api, definition);
  for (const [i, name] of names.entries()) await createWidget(api, name, { spec: { size: i, color: i % 2 === 0 ? "red" : "blue" } });
}

test("a list is read in pages of one moment", async () => {
  const api = await startApi();
  await some(api, ["a", "b", "c", "d", "e"]);
  const first = await api.send("GET", `${widgets}?limit=2`);
  assert.deepEqual([namesOf(first), first.body.metadata.remainingItemCount], [["a", "b"], 3]);
  await api.send("DELETE", `${widgets}/d`);
  await createWidget(api, "f");
  const second = await api.send("GET", `${widgets}?limit=2&continue=${encodeURIComponent(first.body.metadata.continue)}`);
  const third = await api.send("GET", `${widgets}?limit=2&continue=${encodeURIComponent(second.body.metadata.continue)}`);
  assert.deepEqual([...namesOf(second), ...namesOf(third)], ["c", "d", "e"]);
  assert.deepEqual([third.body.metadata.continue, third.body.metadata.resourceVersion], ["", first.body.metadata.resourceVersion]);
});

test("a list of an older moment shows that moment, under the schema of now", async () => {
  const api = await startApi();
  await some(api, ["a", "b"]);
  const { resourceVersion } = (await api.send("GET", widgets)).body.metadata;
  await api.send("DELETE", `${widgets}/a`);
  await redefine(api, ({ spec }) => {
    spec.versions[0].schema = schemaOf({ spec: { size: { type: "integer" } } });
  });
  const { body } = await api.send("GET", `${widgets}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
  assert.deepEqual(
    body.items.map(({ metadata, spec }: Json) => [metadata.name, spec]),
    [
      ["a", { size: 0 }],
      ["b", { size: 1 }],
    ],
  );
});

test("items of lists say what they are", async () => {
  const api = await startApi();
  await some(api, ["a"]);
  const { body } = await api.send("GET", widgets);
  assert.deepEqual([body.kind, body.apiVersion], ["WidgetList", "example.com/v1"]);
  assert.deepEqual([body.items[0].kind, body.items[0].apiVersion], ["Widget", "example.com/v1"]);
});

test("labels and the fields that are named select", async () => {
  const api = await startApi();
  await some(api, ["a", "b", "c"], definitionOf({ v1: { selectableFields: [{ jsonPath: ".spec.color" }] } }));
  await api.send("PATCH", `${widgets}/a`, { type: merge, body: { metadata: { labels: { tier: "one" } }, spec: { color: null } } });
  const selected = async (query: string) => namesOf(await api.send("GET", `${widgets}?${query}`));
  assert.deepEqual(await selected("fieldSelector=spec.color%3Dblue"), ["b"]);
  assert.deepEqual(await selected("fieldSelector=spec.color%3D"), ["a"], "what is missing is empty");
  assert.deepEqual(await selected("fieldSelector=spec.color!%3Dblue,metadata.name!%3Da"), ["c"]);
  assert.deepEqual(await selected("labelSelector=tier"), ["a"]);
  const unknown = await api.send("GET", `${widgets}?fieldSelector=spec.size%3D1`);
  assert.deepEqual([unknown.status, unknown.body.reason], [400, "BadRequest"]);
  assert.match(unknown.body.message, /field label not supported: spec\.size/);
});

test("a watch with a field selector sees objects come and go", async () => {
  const api = await startApi();
  await some(api, ["a"], definitionOf({ v1: { selectableFields: [{ jsonPath: ".spec.color" }] } }));
  const watching = await api.watch(`${widgets}?watch=1&fieldSelector=spec.color%3Dred`);
  for (const color of ["blue", "red"]) await api.send("PATCH", `${widgets}/a`, { type: merge, body: { spec: { color } } });
  await watching.settle();
  assert.deepEqual(
    watching.events.map(({ type }) => type),
    ["ADDED", "DELETED", "ADDED"],
  );
});

const columns = [
  { name: "Size", type: "integer", jsonPath: ".spec.size" },
  { name: "Color", type: "string", jsonPath: ".spec.color", description: "What it looks like", priority: 1 },
  { name: "Missing", type: "string", jsonPath: ".spec.nothing" },
  { name: "Wrong", type: "integer", jsonPath: ".spec.color" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

test("Tables have the columns of the definition", async () => {
  const api = await startApi();
  await some(api, ["a"], definitionOf({ v1: { additionalPrinterColumns: columns } }));
  api.clock.advance(125_000);
  const { body } = await api.send("GET", widgets, { accept: table });
  assert.deepEqual(
    body.columnDefinitions.map(({ name, type, priority }: Json) => [name, type, priority]),
    [["Name", "string", 0], ...columns.map(({ name, type, priority = 0 }) => [name, type, priority])],
  );
  assert.deepEqual(body.rows[0].cells, ["a", 0, "red", null, null, "2m5s"]);
  assert.equal(body.columnDefinitions[2].description, "What it looks like");
  assert.deepEqual([body.rows[0].object.kind, body.rows[0].object.metadata.name], ["PartialObjectMetadata", "a"]);
  const one = await api.send("GET", `${widgets}/a?includeObject=Object`, { accept: table });
  assert.equal(one.body.rows[0].object.spec.color, "red");
});

test("without additionalPrinterColumns a Table has names and ages", async () => {
  const api = await startApi();
  await some(api, ["a"]);
  const { body } = await api.send("GET", widgets, { accept: table });
  assert.deepEqual(
    body.columnDefinitions.map(({ name }: Json) => name),
    ["Name", "Age"],
  );
  assert.deepEqual(body.rows[0].cells, ["a", "0s"]);
});

test("new columns are shown at once", async () => {
  const api = await startApi();
  await some(api, ["a"]);
  await redefine(api, ({ spec }) => {
    spec.versions[0].additionalPrinterColumns = columns.slice(0, 1);
  });
  assert.deepEqual((await api.send("GET", widgets, { accept: table })).body.rows[0].cells, ["a", 0]);
});

test("PartialObjectMetadata is served as JSON or protobuf", async () => {
  const api = await startApi();
  await some(api, ["a"]);
  const list = await api.send("GET", widgets, { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" });
  assert.deepEqual(
    [list.body.kind, list.body.items[0].metadata.name, list.body.items[0].spec],
    ["PartialObjectMetadataList", "a", undefined],
  );
  const one = await api.send("GET", `${widgets}/a`, { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" });
  assert.deepEqual([one.body.kind, one.body.metadata.name], ["PartialObjectMetadata", "a"]);
  const bytes = await api.send("GET", widgets, { accept: `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1` });
  assert.deepEqual([bytes.status, bytes.type], [200, protobuf]);
});

const only = "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";
const accepts = [
  { accept: protobuf, status: 406 },
  { accept: "text/plain", status: 406 },
  { accept: `${protobuf};as=Table;g=meta.k8s.io;v=v1`, status: 406 },
  { accept: `${protobuf},application/json`, status: 200, type: "application/json" },
  { accept: "application/yaml", status: 200, type: "application/yaml" },
  { accept: "application/*", status: 200, type: "application/json" },
];
for (const { accept, status, type } of accepts) {
  for (const path of [widgets, `${widgets}/a`, `${widgets}?watch=1`]) {
    if (path.endsWith("=1") && status === 200) continue;
    test(`GET ${path} as ${accept} is answered with ${status}`, async () => {
      const api = await startApi();
      await some(api, ["a"]);
      const answer = await api.send("GET", path, { accept });
      assert.equal(answer.status, status);
      if (type !== undefined) assert.equal(answer.type, type);
      else assert.ok(answer.text.includes(only), answer.text);
    });
  }
}

test("a write that cannot be answered is not made", async () => {
  const api = await startApi();
  await some(api, ["a"]);
  const before = api.store.revision;
  assert.equal((await api.send("DELETE", `${widgets}/a`, { accept: protobuf })).status, 406);
  assert.deepEqual(changesAfter(api.store, before, "/registry/example.com/"), []);
});

test("bodies may be YAML, but not protobuf", async () => {
  const api = await startApi();
  await define(api);
  const yaml = `apiVersion: ${group}/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n  size: 3\n`;
  const { status, body } = await api.send("POST", widgets, { type: "application/yaml", body: yaml });
  assert.deepEqual([status, body.spec], [201, { size: 3 }]);
  const message = await api.send("POST", widgets, { type: protobuf, body: Uint8Array.of(0x6b, 0x38, 0x73, 0x00) });
  assert.deepEqual([message.status, message.body.reason], [400, "BadRequest"]);
  const form = await api.send("POST", widgets, { type: "text/plain", body: yaml });
  assert.equal(form.status, 415);
});

test("a list over all namespaces has them in order", async () => {
  const api = await startApi();
  await some(api, ["a"]);
  await createWidget(api, "z", {}, widgetsIn("kube-system"));
  await createWidget(api, "b", {}, widgetsIn("kube-public"));
  assert.deepEqual(namesOf(await api.send("GET", `/apis/${group}/v1/widgets`)), ["a", "b", "z"]);
});
