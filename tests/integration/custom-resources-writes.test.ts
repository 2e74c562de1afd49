/** Several writers of one custom resource, and what only tries. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, type Api, changesAfter, type Json, startApi } from "./api.ts";
import {
  applyPatch,
  createWidget,
  define,
  definitionOf,
  group,
  merge,
  namesOf,
  schemaOf,
  widget,
  widgets,
  widgetsIn,
} from "./custom-resources.ts";

const text = { type: "string" };
const part = { type: "object", required: ["name"], properties: { name: text, color: text, weight: { type: "integer", default: 1 } } };
const assembled = definitionOf({
  v1: {
    schema: schemaOf({
      spec: {
        size: { type: "integer" },
        parts: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], items: part },
        tags: { type: "array", "x-kubernetes-list-type": "set", items: text },
        plain: { type: "array", items: text },
        whole: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: text },
      },
    }),
  },
});

const apply = (api: Api, manager: string, spec: Json, more = ""): Promise<Answer> =>
  api.send("PATCH", `${widgets}/a?fieldManager=${manager}${more}`, { type: applyPatch, body: widget("a", { spec }) });

test("appliers share lists and maps as the schema says", async () => {
  const api = await startApi();
  await define(api, assembled);
  const created = await apply(api, "one", { parts: [{ name: "lid", color: "red" }], tags: ["x"], whole: { a: "1" } });
  assert.equal(created.status, 201);
  const { status, body } = await apply(api, "two", { parts: [{ name: "box", color: "blue" }], tags: ["y"] });
  assert.equal(status, 200);
  assert.deepEqual(body.spec.parts, [
    { name: "lid", color: "red", weight: 1 },
    { name: "box", color: "blue", weight: 1 },
  ]);
  assert.deepEqual(body.spec.tags, ["x", "y"]);
  const mine = body.metadata.managedFields.find(({ manager }: Json) => manager === "two");
  assert.deepEqual(mine.fieldsV1["f:spec"]["f:parts"], { 'k:{"name":"box"}': { ".": {}, "f:color": {}, "f:name": {} } });
  const without = await apply(api, "one", { tags: ["x"], whole: { a: "1" } });
  assert.deepEqual(
    without.body.spec.parts.map(({ name }: Json) => name),
    ["box"],
  );
});

test("what is one piece belongs to one applier", async () => {
  const api = await startApi();
  await define(api, assembled);
  await apply(api, "one", { plain: ["a"], whole: { a: "1" } });
  const { status, body } = await apply(api, "two", { plain: ["b"], whole: { b: "2" } });
  assert.equal(status, 409);
  assert.deepEqual(
    body.details.causes.map(({ field, message }: Json) => [field, message]),
    [
      [".spec.plain", 'conflict with "one"'],
      [".spec.whole", 'conflict with "one"'],
    ],
  );
  const forced = await apply(api, "two", { plain: ["b"], whole: { b: "2" } }, "&force=true");
  assert.deepEqual(forced.body.spec, { plain: ["b"], whole: { b: "2" } });
});

test("keys of a list may not repeat", async () => {
  const api = await startApi();
  await define(api, assembled);
  const body = widget("a", { spec: { parts: [{ name: "lid" }, { name: "lid" }], tags: ["x", "x"] } });
  const answer = await api.send("POST", widgets, { body });
  assert.equal(answer.status, 422);
  assert.deepEqual(answer.body.details.causes.map(({ field, reason }: Json) => `${field} ${reason}`).sort(), [
    "spec.parts[1] FieldValueDuplicate",
    "spec.tags[1] FieldValueDuplicate",
  ]);
});

test("two concurrent writers of one object lose no write without a 409", async () => {
  const api = await startApi();
  await define(api);
  await createWidget(api, "a", { spec: { size: 0 } });
  let conflicts = 0;
  const writer = async (times: number): Promise<void> => {
    for (let done = 0; done < times; ) {
      const { body } = await api.send("GET", `${widgets}/a`);
      body.spec.size += 1;
      const { status } = await api.send("PUT", `${widgets}/a`, { body });
      assert.ok(status === 200 || status === 409);
      if (status === 200) done += 1;
      else conflicts += 1;
    }
  };
  await Promise.all([writer(50), writer(50)]);
  const { body } = await api.send("GET", `${widgets}/a`);
  assert.equal(body.spec.size, 100);
  assert.equal(body.metadata.generation, 101);
  assert.ok(conflicts > 0);
});

test("patches that race are all made", async () => {
  const api = await startApi();
  await define(api);
  await createWidget(api, "a", {});
  const labels = Array.from({ length: 50 }, (_, i) => `l${i}`);
  const answers = await Promise.all(
    labels.map((label) => api.send("PATCH", `${widgets}/a`, { type: merge, body: { metadata: { labels: { [label]: "x" } } } })),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const { body } = await api.send("GET", `${widgets}/a`);
  assert.equal(Object.keys(body.metadata.labels).length, labels.length);
});

test("dry runs answer as if, and store nothing", async () => {
  const api = await startApi();
  await define(api, assembled);
  await createWidget(api, "a", { spec: { size: 1 } });
  const before = api.store.revision;
  const created = await api.send("POST", `${widgets}?dryRun=All`, { body: widget("b", { spec: { parts: [{ name: "lid" }] } }) });
  assert.deepEqual([created.status, created.body.spec.parts], [201, [{ name: "lid", weight: 1 }]]);
  assert.equal((await api.send("POST", `${widgets}?dryRun=All`, { body: widget("a") })).status, 409);
  const patched = await api.send("PATCH", `${widgets}/a?dryRun=All`, { type: merge, body: { spec: { size: 2 } } });
  assert.deepEqual([patched.body.spec.size, patched.body.metadata.generation], [2, 2]);
  assert.equal((await api.send("PATCH", `${widgets}/a?dryRun=All`, { type: merge, body: { spec: { size: "x" } } })).status, 422);
  assert.equal((await api.send("DELETE", `${widgets}/a?dryRun=All`)).status, 200);
  assert.equal((await api.send("DELETE", `${widgets}?dryRun=All`)).status, 200);
  assert.deepEqual(changesAfter(api.store, before, "/registry/example.com/"), []);
});

test("a collection is deleted as its selectors say, in its namespace", async () => {
  const api = await startApi();
  await define(api);
  for (const name of ["a", "b", "c"]) await createWidget(api, name);
  await createWidget(api, "a", {}, widgetsIn("kube-system"));
  await api.send("PATCH", `${widgets}/b`, {
    type: merge,
    body: { metadata: { labels: { keep: "yes" }, finalizers: ["example.com/hold"] } },
  });
  const { status, body } = await api.send("DELETE", `${widgets}?labelSelector=keep!%3Dyes`);
  assert.deepEqual([status, body.kind, namesOf({ body } as Answer)], [200, "WidgetList", ["a", "c"]]);
  assert.deepEqual(namesOf(await api.send("GET", widgets)), ["b"]);
  await api.send("DELETE", widgets);
  assert.notEqual((await api.send("GET", `${widgets}/b`)).body.metadata.deletionTimestamp, undefined);
  assert.deepEqual(namesOf(await api.send("GET", `/apis/${group}/v1/widgets`)), ["b", "a"]);
});

test("names are checked and made as for other objects", async () => {
  const api = await startApi();
  await define(api);
  assert.equal((await api.send("POST", widgets, { body: widget("Not_Valid") })).status, 422);
  const generated = await api.send("POST", widgets, { body: { ...widget(""), metadata: { generateName: "w-" } } });
  assert.match(generated.body.metadata.name, /^w-[a-z0-9]{5}$/);
  assert.equal((await api.send("POST", widgetsIn("nowhere"), { body: widget("a") })).status, 404);
});

const strategic = "application/strategic-merge-patch+json";
test("strategic patches are for built-in kinds", async () => {
  const api = await startApi();
  await define(api);
  await createWidget(api, "a");
  const { status, body } = await api.send("PATCH", `${widgets}/a`, { type: strategic, body: { spec: { size: 2 } } });
  assert.equal(status, 415);
  assert.match(
    body.message,
    /accepted media types include: application\/json-patch\+json, application\/merge-patch\+json, application\/apply-patch\+yaml/,
  );
});

const nullable = { a: text, n: { ...text, nullable: true }, d: { ...text, default: "x" }, o: { type: "object", properties: { a: text } } };
const subresources = { status: {}, scale: { specReplicasPath: ".spec.size.replicas", statusReplicasPath: ".status.replicas" } };
const nulls = [
  { name: "a null stays where it may be", spec: { n: null }, is: { d: "x", n: null } },
  { name: "a null gives way to a default", spec: { d: null }, is: { d: "x" } },
  {
    name: "a null of another type",
    spec: { a: null },
    refused: /spec\.a: Invalid value: "null": spec\.a in body must be of type string: "null"$/,
  },
  { name: "a null below", spec: { o: { a: null } }, refused: /spec\.o\.a in body must be of type string: "null"$/ },
  { name: "no spec", spec: null, refused: /^Widget\.example\.com "w" is invalid: spec: .*spec in body must be of type object: "null"$/ },
  {
    name: "an object that loses its last field",
    before: { o: { a: "1" } },
    spec: { o: {} },
    refused: /spec\.o in body must be of type object: "null"$/,
  },
  { name: "an object that goes with its last field", before: { o: { a: "1" }, n: "1" }, spec: { n: "1" }, is: { d: "x", n: "1" } },
];
test("an apply keeps nulls, and is refused where none may be", async (t) => {
  const api = await startApi();
  await define(api, definitionOf({ v1: { subresources, schema: schemaOf({ spec: nullable }) } }));
  const applyWidget = (spec: Json) => api.send("PATCH", `${widgets}/w?fieldManager=me`, { type: applyPatch, body: widget("w", { spec }) });
  for (const { name, before, spec, is, refused } of nulls)
    await t.test(name, async () => {
      if (before !== undefined) assert.equal((await applyWidget(before)).status, 201);
      const { status, body } = await applyWidget(spec);
      if (refused === undefined) assert.deepEqual([status < 300, body.spec], [true, is]);
      else {
        assert.equal(status, 422);
        assert.match(body.message, refused);
      }
      await api.send("DELETE", `${widgets}/w`);
    });
});

test("a null in any other body goes", async () => {
  const api = await startApi();
  await define(api, definitionOf({ v1: { schema: schemaOf({ spec: nullable }) } }));
  const created = await api.send("POST", widgets, { body: widget("w", { spec: { a: null, n: null, o: { a: null } } }) });
  assert.deepEqual(created.body.spec, { d: "x", n: null, o: {} });
  const patch = [{ op: "add", path: "/spec/a", value: null }];
  const patched = await api.send("PATCH", `${widgets}/w`, { type: "application/json-patch+json", body: patch });
  assert.deepEqual(patched.body.spec, { d: "x", n: null, o: {} });
});
