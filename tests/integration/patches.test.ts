import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, startApi } from "./api.ts";
import { createWidget, define, definitionOf, merge, widgets } from "./custom-resources.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const types = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

interface Case {
  readonly name: string;
  readonly type: keyof typeof types;
  readonly body: string | object;
  readonly query?: string;
  readonly target?: string;
  readonly status: number;
  readonly message?: string | RegExp;
  readonly warnings?: readonly string[];
}

const duplicated = '{"metadata":{"labels":{"a":"1","a":"2"}}}';

const cases: readonly Case[] = [
  { name: "a repeated key warns", type: "merge", body: duplicated, status: 200, warnings: ['duplicate field "metadata.labels.a"'] },
  { name: "a repeated key warns", type: "strategic", body: duplicated, status: 200, warnings: ['duplicate field "metadata.labels.a"'] },
  {
    name: "a duplicate key is accepted with fieldValidation=Ignore",
    type: "merge",
    body: duplicated,
    query: "?fieldValidation=Ignore",
    status: 200,
    warnings: [],
  },
  {
    name: "a repeated key is refused when asked for",
    type: "merge",
    body: duplicated,
    query: "?fieldValidation=Strict",
    status: 422,
    message: /^ "" is invalid: patch: Invalid value: "\{.*\}": strict decoding error: duplicate field "metadata\.labels\.a"$/,
  },
  {
    name: "unknown fields of operations warn",
    type: "json",
    body: [{ op: "add", path: "/metadata/labels", value: {}, x: 1 }],
    status: 200,
    warnings: ['json patch unknown field "[0].x"'],
  },
  {
    name: "unknown fields of operations are refused when asked for",
    type: "json",
    body: [{ op: "add", path: "/metadata/labels", value: {}, x: 1 }],
    query: "?fieldValidation=Strict",
    status: 422,
    message: /: strict decoding error: json patch unknown field "\[0\]\.x"$/,
  },
  {
    name: "a result that does not fit shows the patch",
    type: "strategic",
    body: { spec: { replicas: "many" } },
    status: 422,
    message: ' "" is invalid: patch: Invalid value: "map[spec:map[replicas:many]]": unrecognized type: int32',
  },
  {
    name: "an integer is no string",
    type: "strategic",
    body: { metadata: { labels: { a: 1 } } },
    status: 422,
    message: ' "" is invalid: patch: Invalid value: "map[metadata:map[labels:map[a:1]]]": cannot convert int64 to string',
  },
  {
    name: "a list is no struct",
    type: "strategic",
    body: { spec: { strategy: [] } },
    status: 422,
    message: ' "" is invalid: patch: Invalid value: "map[spec:map[strategy:[]]]": cannot restore struct from: slice',
  },
  {
    name: "an unknown field shows the patch",
    type: "strategic",
    body: { spec: { unknown: 1 } },
    query: "?fieldValidation=Strict",
    status: 422,
    message: ' "" is invalid: patch: Invalid value: "map[spec:map[unknown:1]]": strict decoding error: unknown field "spec.unknown"',
  },
  {
    name: "a malformed patch gets an error with its text",
    type: "strategic",
    body: "[]",
    status: 400,
    message: /^json: cannot unmarshal array into Go value/,
  },
  {
    name: "a malformed patch gets an error with its text",
    type: "merge",
    body: "[]",
    status: 400,
    message: /^error decoding patch: json: cannot unmarshal array/,
  },
  { name: "null is an empty patch", type: "strategic", body: "null", status: 200 },
  { name: "null is no patch", type: "merge", body: "null", status: 400, message: "Invalid JSON Patch" },
  { name: "a missing object is reported before a malformed patch", type: "merge", body: "{", target: "absent", status: 404 },
];
for (const { name, type, body, query = "", target = "web", status, message, warnings } of cases) {
  test(`${type}: ${name}`, async () => {
    const api = await startApi();
    await createWeb(api);
    const answer = await api.send("PATCH", `${deployments}/${target}${query}`, { type: types[type], body });
    assert.equal(answer.status, status, answer.text);
    if (typeof message === "string") assert.equal(answer.body.message, message);
    else if (message !== undefined) assert.match(answer.body.message, message);
    if (warnings !== undefined) {
      const reported = [answer.headers.warning ?? []].flat();
      assert.deepEqual(
        reported,
        warnings.map((text) => `299 - "${text.replaceAll('"', '\\"')}"`),
      );
    }
  });
}

async function createWeb(api: Api): Promise<void> {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  await api.send("POST", deployments, { body: { metadata: { name: "web" }, spec: { selector: { matchLabels: labels }, template } } });
}

/** The end of the message, behind the document that does not fit; or the apiVersion and kind of the answer. */
const ofAnotherKind = [
  { patch: { kind: "StatefulSet" }, says: /: converting \(v1\.StatefulSet\) to \(apps\.Deployment\): unknown conversion$/ },
  {
    patch: { kind: "Elsewhere" },
    says: /: no kind "Elsewhere" is registered for version "apps\/v1" in scheme "pkg\/runtime\/scheme\.go:111"$/,
  },
  { patch: { apiVersion: "apps/v9" }, says: /: no kind "Deployment" is registered for version "apps\/v9" in scheme/ },
  { patch: { apiVersion: "a/b/c" }, says: /: unexpected GroupVersion string: a\/b\/c$/ },
  {
    patch: { kind: 5 },
    says: /: couldn't get version\/kind; json parse error: json: cannot unmarshal number into Go struct field \.kind of type string$/,
  },
  {
    patch: { kind: "Pod", apiVersion: "v1" },
    target: "web/status",
    says: /: converting \(v1\.Pod\) to \(apps\.Deployment\): unknown conversion$/,
  },
  {
    patch: { kind: "HorizontalPodAutoscaler" },
    target: "web/scale",
    says: /: converting \(v1\.HorizontalPodAutoscaler\) to \(autoscaling\.Scale\)/,
  },
  { patch: { kind: "Deployment" }, target: "web/scale", says: /: no kind "Deployment" is registered for version "autoscaling\/v1"/ },
  { patch: { apiVersion: null }, status: 400, says: /^the name of the object \(web based on URL\) was undeterminable/ },
  { patch: { kind: null }, status: 200, says: "apps/v1 Deployment" },
  { patch: { kind: "" }, status: 200, says: "apps/v1 Deployment" },
  { patch: { kind: null }, target: "web/scale", status: 200, says: "autoscaling/v1 Scale" },
  { patch: { kind: "Pod", apiVersion: "v9" }, type: types.strategic, status: 200, says: "apps/v1 Deployment" },
  { patch: [{ op: "replace", path: "/kind", value: "StatefulSet" }], type: types.json, says: /unknown conversion$/ },
  { patch: [{ op: "remove", path: "/kind" }], type: types.json, status: 200, says: "apps/v1 Deployment" },
];
test("a patch never makes another kind of an object", async (t) => {
  const api = await startApi();
  await createWeb(api);
  for (const { patch, target = "web", type = types.merge, status = 422, says } of ofAnotherKind) {
    await t.test(`${JSON.stringify(patch)} on ${target} as ${type}`, async () => {
      const answer = await api.send("PATCH", `${deployments}/${target}`, { type, body: patch });
      assert.equal(answer.status, status, answer.text);
      if (typeof says === "string") assert.equal(`${answer.body.apiVersion} ${answer.body.kind}`, says);
      else assert.match(answer.body.message, says);
    });
  }
  const { body } = await api.send("GET", `${deployments}/web`);
  assert.deepEqual([body.kind, body.apiVersion, body.metadata.generation], ["Deployment", "apps/v1", 1]);
});

test("a patch that names another version of the kind is read in that version", async () => {
  const api = await startApi();
  const autoscalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
  const scaleTargetRef = { kind: "Deployment", name: "web", apiVersion: "apps/v1" };
  await api.send("POST", autoscalers, { body: { metadata: { name: "h" }, spec: { maxReplicas: 3, scaleTargetRef } } });
  const answer = await api.send("PATCH", `${autoscalers}/h`, {
    type: types.merge,
    body: { apiVersion: "autoscaling/v1", spec: { targetCPUUtilizationPercentage: 50 } },
  });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.apiVersion, "autoscaling/v2");
  assert.equal(answer.body.spec.metrics[0].resource.target.averageUtilization, 50);
});

const ofAnotherCustomKind = [
  {
    patch: { kind: "Gadget" },
    status: 422,
    says: /^Gadget\.example\.com "w" is invalid: kind: Invalid value: "Gadget": must be Widget$/,
  },
  { patch: { apiVersion: "v9" }, status: 422, says: /^Widget "w" is invalid: apiVersion: Invalid value: "v9": must be example\.com\/v1$/ },
  { patch: { kind: "Pod", apiVersion: "v1" }, status: 422, says: /^Pod "w" is invalid: \[kind: .*: must be Widget, apiVersion: / },
  { patch: { kind: null }, status: 422, says: /: Object 'Kind' is missing in '\{"apiVersion":"example\.com\/v1","metadata":/ },
  { patch: { apiVersion: null }, status: 500, says: /Object 'apiVersion' is missing in/ },
  { patch: { kind: 5 }, status: 422, says: /cannot unmarshal number into Go struct field \.kind of type string$/ },
  { patch: { kind: "Pod", apiVersion: "v1" }, target: "w/status", status: 200, says: "example.com/v1 Widget" },
  { patch: { kind: null }, target: "w/status", status: 422, says: /: Object 'Kind' is missing in/ },
];
test("a patch never makes another kind of a custom object", async (t) => {
  const api = await startApi();
  await define(api, definitionOf({ v1: { subresources: { status: {} } } }));
  await createWidget(api, "w");
  for (const { patch, target = "w", status, says } of ofAnotherCustomKind) {
    await t.test(`${JSON.stringify(patch)} on ${target}`, async () => {
      const answer = await api.send("PATCH", `${widgets}/${target}`, { type: merge, body: patch });
      assert.equal(answer.status, status, answer.text);
      if (typeof says === "string") assert.equal(`${answer.body.apiVersion} ${answer.body.kind}`, says);
      else assert.match(answer.body.message, says);
    });
  }
  const { body } = await api.send("GET", `${widgets}/w`);
  assert.deepEqual([body.kind, body.apiVersion, body.metadata.generation], ["Widget", "example.com/v1", 1]);
});

const contentTypes = [
  { type: "application/merge-patch+json; charset=utf-8", status: 200 },
  { type: "Application/Merge-Patch+JSON", status: 415, message: "415: Unsupported Media Type" },
  { type: "application/json", status: 415, message: "415: Unsupported Media Type" },
  {
    type: "application/merge-patch+json, application/json-patch+json",
    status: 415,
    message: `the body of the request was in an unknown format - accepted media types include: ${Object.values(types).join(", ")}, application/apply-patch+yaml`,
  },
];
test("the type of a patch is taken as it is written", async () => {
  const api = await startApi();
  await createWeb(api);
  for (const { type, status, message } of contentTypes) {
    const answer = await api.send("PATCH", `${deployments}/web`, { type, body: {} });
    assert.deepEqual([answer.status, answer.body.message], [status, message], type);
  }
});
