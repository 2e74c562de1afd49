import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "./api.ts";

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
    name: "a repeated key is nothing to who ignores it",
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
    name: "a broken patch is told plainly",
    type: "strategic",
    body: "[]",
    status: 400,
    message: /^json: cannot unmarshal array into Go value/,
  },
  {
    name: "a broken patch is told plainly",
    type: "merge",
    body: "[]",
    status: 400,
    message: /^error decoding patch: json: cannot unmarshal array/,
  },
  { name: "null is an empty patch", type: "strategic", body: "null", status: 200 },
  { name: "null is no patch", type: "merge", body: "null", status: 400, message: "Invalid JSON Patch" },
  { name: "an absent object is told before a broken patch", type: "merge", body: "{", target: "absent", status: 404 },
];
for (const { name, type, body, query = "", target = "web", status, message, warnings } of cases) {
  test(`${type}: ${name}`, async () => {
    const api = await startApi();
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    await api.send("POST", deployments, { body: { metadata: { name: "web" }, spec: { selector: { matchLabels: labels }, template } } });
    const answer = await api.send("PATCH", `${deployments}/${target}${query}`, { type: types[type], body });
    assert.equal(answer.status, status, answer.text);
    if (typeof message === "string") assert.equal(answer.body.message, message);
    else if (message !== undefined) assert.match(answer.body.message, message);
    if (warnings !== undefined) {
      const told = [answer.headers.warning ?? []].flat();
      assert.deepEqual(
        told,
        warnings.map((text) => `299 - "${text.replaceAll('"', '\\"')}"`),
      );
    }
  });
}
