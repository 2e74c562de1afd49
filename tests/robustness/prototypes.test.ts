/** Keys named like members of JavaScript's objects are data like any other, everywhere. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Api, startApi } from "../integration/api.ts";
import { configMaps } from "./target.ts";

const hostile = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "valueOf", "__defineGetter__"];
const data = `{${hostile.map((key) => `"${key}":"${key}!"`).join(",")}}`;
const expected = Object.fromEntries(hostile.map((key) => [key, `${key}!`]));

let api: Api;
before(async () => {
  api = await startApi();
});

function assertClean(): void {
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  assert.deepEqual(Object.keys(Object.prototype), []);
  assert.equal(Object.getPrototypeOf({}), Object.prototype);
}

/** The data of an object as the server sends it, own keys only. */
async function dataOf(name: string): Promise<Record<string, string>> {
  const { text } = await api.send("GET", `${configMaps}/${name}`);
  const found = /"data":(\{[^}]*\})/.exec(text)?.[1] ?? "{}";
  return Object.fromEntries([...found.matchAll(/"([^"]+)":"([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]));
}

test("data keys survive a create in JSON and in YAML", async () => {
  assert.equal((await api.send("POST", configMaps, { body: `{"metadata":{"name":"json"},"data":${data}}` })).status, 201);
  assert.deepEqual(await dataOf("json"), expected);
  assert.equal(
    (await api.send("POST", configMaps, { type: "application/yaml", body: `metadata: {name: yaml}\ndata: ${data}\n` })).status,
    201,
  );
  assert.deepEqual(await dataOf("yaml"), expected);
  assertClean();
});

test("data keys survive an update, a dry run and every form of answer", async () => {
  const put = await api.send("PUT", `${configMaps}/json`, { body: `{"metadata":{"name":"json"},"data":${data}}` });
  assert.equal(put.status, 200);
  for (const accept of ["application/yaml", "application/vnd.kubernetes.protobuf", "application/json;as=Table;g=meta.k8s.io;v=v1"]) {
    const { status, text } = await api.send("GET", `${configMaps}/json`, { accept });
    assert.equal(status, 200);
    if (!accept.includes("Table")) for (const key of hostile) assert.ok(text.includes(`${key}!`), `${accept} lost ${key}`);
  }
  const dry = await api.send("POST", `${configMaps}?dryRun=All`, { body: `{"metadata":{"name":"dry"},"data":${data}}` });
  for (const key of hostile) assert.ok(dry.text.includes(`"${key}":"${key}!"`));
});

test("protobuf bodies with such keys are read back as they were", async () => {
  const message = await api.server.handle(
    {
      method: "GET",
      path: `${configMaps}/json`,
      query: "",
      headers: { accept: "application/vnd.kubernetes.protobuf" },
      remoteAddress: "",
      http1: false,
    },
    new Uint8Array(0),
  );
  assert.ok(message.body.kind === "bytes");
  const put = await api.send("PUT", `${configMaps}/json`, { type: "application/vnd.kubernetes.protobuf", body: message.body.bytes });
  assert.equal(put.status, 200, put.text);
  assert.deepEqual(await dataOf("json"), expected);
});

for (const type of ["application/merge-patch+json", "application/strategic-merge-patch+json"])
  test(`${type} sets, nests and removes them`, async () => {
    const patch = async (body: string) => api.send("PATCH", `${configMaps}/yaml`, { type, body });
    assert.equal((await patch(`{"data":{"__proto__":"new","constructor":null}}`)).status, 200);
    const changed = await dataOf("yaml");
    assert.equal(Object.getOwnPropertyDescriptor(changed, "__proto__")?.value, "new");
    assert.ok(!Object.hasOwn(changed, "constructor"));
    for (const body of [
      `{"__proto__":{"polluted":1}}`,
      `{"constructor":{"prototype":{"polluted":1}}}`,
      `{"metadata":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}`,
    ])
      assert.equal((await patch(body)).status, 200);
    assert.equal((await patch(`{"data":{"constructor":"constructor!","__proto__":"__proto__!"}}`)).status, 200);
    assert.deepEqual(await dataOf("yaml"), expected);
    assertClean();
  });

const pointers: readonly { readonly patch: string; readonly expect: number }[] = [
  { patch: `{"op":"add","path":"/__proto__/polluted","value":"1"}`, expect: 422 },
  { patch: `{"op":"add","path":"/constructor/prototype/polluted","value":"1"}`, expect: 422 },
  { patch: `{"op":"add","path":"/data/__proto__/polluted","value":"1"}`, expect: 422 },
  { patch: `{"op":"replace","path":"/metadata/__proto__","value":{"polluted":1}}`, expect: 200 },
  { patch: `{"op":"move","from":"/metadata/constructor","path":"/data/x"}`, expect: 422 },
  { patch: `{"op":"remove","path":"/metadata/toString"}`, expect: 422 },
  { patch: `{"op":"test","path":"/metadata/hasOwnProperty","value":null}`, expect: 200 },
  { patch: `{"op":"add","path":"/data/__proto__","value":"__proto__!"}`, expect: 200 },
  {
    patch: `{"op":"copy","from":"/data/__proto__","path":"/data/prototype"},{"op":"replace","path":"/data/prototype","value":"prototype!"}`,
    expect: 200,
  },
  { patch: `{"__proto__":{"op":"remove"},"op":"test","path":"/data/__proto__","value":"__proto__!"}`, expect: 200 },
  { patch: `{"__proto__":{"op":"remove","path":"/data"}}`, expect: 422 },
];
for (const { patch, expect } of pointers)
  test(`JSON patch ${patch}`, async () => {
    const answer = await api.send("PATCH", `${configMaps}/json`, { type: "application/json-patch+json", body: `[${patch}]` });
    assert.equal(answer.status, expect, answer.text);
    assert.deepEqual(await dataOf("json"), expected);
    assertClean();
  });

test("labels: what an object does not have it does not have from its prototype", async () => {
  await api.send("POST", configMaps, { body: `{"metadata":{"name":"labelled","labels":{"constructor":"a","tostring":"b"}}}` });
  const names = async (selector: string) =>
    (await api.send("GET", `${configMaps}?labelSelector=${encodeURIComponent(selector)}`)).body.items.map(
      (o: { metadata: { name: string } }) => o.metadata.name,
    );
  assert.deepEqual(await names("constructor"), ["labelled"]);
  assert.deepEqual(await names("constructor=a"), ["labelled"]);
  assert.deepEqual(await names("toString"), []);
  assert.deepEqual(await names("valueOf in (a)"), []);
  assert.ok((await names("!hasOwnProperty")).includes("labelled"));
  assert.ok((await names("toString!=x")).includes("labelled"));
  assert.equal((await api.send("GET", `${configMaps}?labelSelector=__proto__`)).status, 400);
  assert.equal((await api.send("POST", configMaps, { body: `{"metadata":{"name":"l","labels":{"__proto__":"a"}}}` })).status, 422);
});

for (const key of hostile) {
  test(`${key} as a field selector, a parameter, a header, a media type, an option and a part of the path`, async () => {
    assert.equal((await api.send("GET", `${configMaps}?fieldSelector=${key}%3Dx`)).status, 400);
    assert.equal((await api.send("GET", `/api/v1/namespaces/default/pods?fieldSelector=${key}%3Dx`)).status, 400);
    assert.equal((await api.send("GET", `${configMaps}?fieldSelector=metadata.name%3D${key}`)).body.items.length, 0);
    assert.equal((await api.send("GET", `${configMaps}?${key}=1&${key}[polluted]=1`)).status, 200);
    assert.equal((await api.send("GET", configMaps, { headers: { [key]: "1" } })).status, 200);
    for (const path of [configMaps, `${configMaps}/json`, "/api", "/apis", "/openapi/v2"])
      assert.equal((await api.send("GET", path, { accept: key })).status, 406, path);
    assert.equal((await api.send("GET", configMaps, { accept: `application/json;as=${key};g=meta.k8s.io;v=v1` })).status, 406);
    assert.equal((await api.send("POST", configMaps, { type: key, body: "{}" })).status, 415);
    assert.equal((await api.send("PATCH", `${configMaps}/json`, { type: key, body: "{}" })).status, 415);
    assert.equal((await api.send("DELETE", `${configMaps}/json`, { type: key, body: "{}" })).status, 415);
    for (const option of ["dryRun", "fieldValidation"])
      assert.equal((await api.send("POST", `${configMaps}?${option}=${key}`, { body: `{"metadata":{"name":"o"}}` })).status, 422);
    for (const path of [
      `/${key}`,
      `/api/${key}`,
      `/apis/${key}`,
      `/apis/${key}/v1/things`,
      `/apis/apps/${key}/deployments`,
      `/api/v1/${key}`,
      `${configMaps}/${key}`,
      `${configMaps}/json/${key}`,
      `/openapi/v3/${key}`,
      `/openapi/v3/apis/${key}/v1`,
      `/healthz/${key}`,
    ])
      assert.equal((await api.send("GET", path)).status, 404, path);
    assert.equal((await api.send(key, configMaps)).status, 405);
    for (const kind of [`"kind":"${key}"`, `"apiVersion":"${key}"`, `"apiVersion":"${key}/v1"`])
      assert.equal((await api.send("POST", configMaps, { body: `{${kind},"metadata":{"name":"k"}}` })).status, 400, kind);
    assertClean();
  });
}
