/** MutatingAdmissionPolicies in force; what they answer in every case is compared with Kubernetes in tests/golden. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { startApi } from "./api.ts";
import { definitions } from "./conversion-webhook.ts";
import { definitionOf, widgets } from "./custom-resources.ts";
import { addPolicy, configMap, configMaps, removeBinding } from "./policies.ts";

const applies = (...expressions: readonly string[]) => ({
  reinvocationPolicy: "Never",
  mutations: expressions.map((expression) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } })),
});
const patches = (expression: string) => ({
  reinvocationPolicy: "Never",
  mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }],
});

test("a policy is in force with the answer to the write of its binding, and out of force with that of its deletion", async () => {
  const api = await startApi();
  await addPolicy(api, "Mutating", applies("Object{data: {'a': 'b'}}"));
  assert.deepEqual((await api.send("POST", configMaps, { body: configMap("one") })).body.data, { a: "b" });
  await removeBinding(api, "mutating");
  assert.equal((await api.send("POST", configMaps, { body: configMap("two") })).body.data, undefined);
});

test("a policy that asks for it is invoked again after what a later one changes, once", async () => {
  const api = await startApi();
  const count = (key: string) => `Object{data: {'${key}': string(int(object.?data['${key}'].orValue('0')) + 1)}}`;
  await addPolicy(api, "Mutating", { ...applies(count("again")), reinvocationPolicy: "IfNeeded" }, { name: "a.example.com" });
  await addPolicy(api, "Mutating", applies(count("once")), { name: "b.example.com" });
  assert.deepEqual((await api.send("POST", configMaps, { body: configMap("one") })).body.data, { again: "2", once: "1" });
});

test("a policy that asks for it is not invoked again when nothing has changed", async () => {
  const api = await startApi();
  const spec = { ...applies("Object{data: {'a': string(int(object.?data.a.orValue('0')) + 1)}}"), reinvocationPolicy: "IfNeeded" };
  await addPolicy(api, "Mutating", spec, { name: "a.example.com" });
  await addPolicy(api, "Mutating", applies("Object{data: {'a': object.data.a}}"), { name: "b.example.com" });
  assert.deepEqual((await api.send("POST", configMaps, { body: configMap("one") })).body.data, { a: "1" });
});

test("custom objects are mutated by the schema of their definition", async () => {
  const api = await startApi();
  await api.send("POST", definitions, { body: definitionOf() });
  await waitUntil("widgets to be served", async () => (await api.send("GET", widgets)).status === 200);
  const rules = [{ apiGroups: ["example.com"], apiVersions: ["*"], operations: ["CREATE"], resources: ["widgets"] }];
  await addPolicy(api, "Mutating", applies("Object{spec: Object.spec{size: object.spec.size + 1}}"), { rules });
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec: { size: 3, color: "red" } };
  assert.deepEqual((await api.send("POST", widgets, { body: widget })).body.spec, { size: 4, color: "red" });
  await addPolicy(api, "Mutating", applies("Object{spec: Object.spec{weight: 1}}"), { name: "q.example.com", rules });
  const refused = await api.send("POST", widgets, { body: { ...widget, metadata: { name: "x" } } });
  assert.match(refused.text, /failed to convert patch object to typed object: .spec.weight: field not declared in schema/);
});

test("requests that another thread serves are mutated, too", async () => {
  const api = await startApi({ offload: "thread" });
  try {
    await addPolicy(api, "Mutating", applies("Object{metadata: Object.metadata{labels: {'size': string(size(object.data.long))}}}"));
    const made = await api.send("POST", configMaps, { body: configMap("long", { data: { long: "x".repeat(200_000) } }) });
    assert.deepEqual(made.body.metadata.labels, { size: "200000" });
  } finally {
    await api.server.close();
  }
});

test("keys of prototypes are keys like others", async () => {
  const api = await startApi();
  const expression = "[JSONPatch{op: 'add', path: '/data', value: {'__proto__': 'own', 'constructor': 'c'}}]";
  await addPolicy(api, "Mutating", patches(expression));
  const made = await api.send("POST", configMaps, { body: configMap("one") });
  assert.match(made.text, /"data":\{"__proto__":"own","constructor":"c"\}/);
  assert.equal(({} as Record<string, unknown>).own, undefined);
});

const copies = Array.from({ length: 30 }, (_, i) => `JSONPatch{op: 'copy', from: '/data', path: '/data/${i}'}`).join(", ");
const hostile = [
  { name: "a patch of copies of copies", spec: patches(`[${copies}]`), data: { a: "x".repeat(1000) }, message: /./ },
  {
    name: "a patch at a prototype",
    spec: patches("[JSONPatch{op: 'add', path: '/__proto__/polluted', value: 'x'}]"),
    message: /JSON Patch: add operation/,
  },
  {
    name: "a configuration at a prototype",
    spec: applies("Object{__proto__: Object.__proto__{polluted: 'x'}}"),
    message: /not declared in schema/,
  },
  { name: "a patch of the whole object", spec: patches("[JSONPatch{op: 'replace', path: '', value: 'x'}]"), message: /./ },
  {
    name: "a text beyond what an object may hold",
    spec: applies("Object{data: {'a': [0,1,2,3,4,5,6,7,8,9].map(i, object.data.a).join('')}}"),
    data: { a: "x".repeat(200_000) },
    message: /./,
  },
];
for (const { name, spec, data = {}, message } of hostile)
  test(`${name} is refused`, async () => {
    const api = await startApi();
    await addPolicy(api, "Mutating", spec);
    const refused = await api.send("POST", configMaps, { body: configMap("one", { data }) });
    assert.ok(refused.status >= 400, refused.text.slice(0, 500));
    assert.match(refused.body.message, message);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    await removeBinding(api, "mutating");
    assert.equal((await api.send("POST", configMaps, { body: configMap("one") })).status, 201);
  });
