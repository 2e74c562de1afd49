/** What bodies are taken for, and what is said of those that cannot be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "./api.ts";
import { applyPatch, define, widgets } from "./custom-resources.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const yaml = "application/yaml";
const nameless = 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required';
const unrecognized = (kind: string, why: string): string => `the object provided is unrecognized (must be of type ${kind}): ${why}`;
const unidentified = (why: string): string => `couldn't get version/kind; json parse error: ${why}`;

interface Case {
  readonly method?: string;
  readonly target?: string;
  readonly type?: string;
  readonly body: string;
  readonly status: number;
  readonly message: string;
}

const cases: readonly Case[] = [
  { body: "null", status: 422, message: nameless },
  { body: " null ", status: 422, message: nameless },
  { body: "null", type: yaml, status: 422, message: nameless },
  { body: "# nothing\n", type: yaml, status: 422, message: nameless },
  { body: "", type: yaml, status: 422, message: nameless },
  { body: "", status: 400, message: unrecognized("ConfigMap", `${unidentified("unexpected end of JSON input")} (<empty>)`) },
  {
    method: "PUT",
    target: `${maps}/m`,
    body: "null",
    status: 400,
    message: "the name of the object (m based on URL) was undeterminable: name must be provided",
  },
  {
    body: '{/* a comment */"metadata":{"name":"a"}}',
    status: 400,
    message: unrecognized(
      "ConfigMap",
      `${unidentified("invalid character '/' looking for beginning of object key string")} ({/* a comment */"metadata":{"n ...)`,
    ),
  },
  {
    body: '{"kind":5}',
    status: 400,
    message: unrecognized(
      "ConfigMap",
      `${unidentified("json: cannot unmarshal number into Go struct field .kind of type string")} ({"kind":5})`,
    ),
  },
  {
    body: "metadata:\n\tname: a\n",
    type: yaml,
    status: 400,
    message: unrecognized(
      "ConfigMap",
      "yaml: line 2: found character that cannot start any token (6d657461646174613a0a096e616d653a20610a)",
    ),
  },
  { target: widgets, body: "null", status: 400, message: unrecognized("Widget", "Object 'Kind' is missing in 'null' (6e756c6c)") },
  {
    target: widgets,
    body: '{"apiVersion":"example.com/v1","metadata":{"name":"x"}}',
    status: 400,
    message: unrecognized(
      "Widget",
      `Object 'Kind' is missing in '{"apiVersion":"example.com/v1","metadata":{"name":"x"}}' ({"apiVersion":"example.com/v1" ...)`,
    ),
  },
  { method: "DELETE", target: `${maps}/m`, body: "null", status: 404, message: 'configmaps "m" not found' },
  { method: "DELETE", target: `${maps}/m`, body: "{", status: 400, message: unidentified("unexpected end of JSON input") },
  {
    method: "DELETE",
    target: `${maps}/m`,
    body: '{"kind":"ConfigMap"}',
    status: 400,
    message: 'no kind "ConfigMap" is registered for version "meta.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
  },
  {
    method: "PATCH",
    target: `${maps}/m?fieldManager=me&fieldValidation=Strict`,
    type: applyPatch,
    body: "kind: ConfigMap\napiVersion: v1\ndata:\n  a: b\n  a: c\n",
    status: 400,
    message: 'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key "a" already set in map',
  },
];
test("a body that says nothing, or not what it is", async (t) => {
  const api = await startApi();
  await define(api);
  for (const { method = "POST", target = maps, type = "application/json", body, status, message } of cases)
    await t.test(`${method} ${target} ${type} ${JSON.stringify(body)}`, async () => {
      const answer = await api.send(method, target, { type, body });
      assert.deepEqual([answer.status, answer.body.message], [status, message]);
    });
});

test("unknown and duplicate fields are reported in their order in the body", async () => {
  const api = await startApi();
  const body = '{"metadata":{"name":"a"},"zz":1,"data":{"a":"1","a":"2"},"1":1,"metadata":{"q":1,"annotations":{"a":"1","a":"2"},"w":2}}';
  const problems = [
    'unknown field "zz"',
    'duplicate field "data.a"',
    'unknown field "1"',
    'duplicate field "metadata"',
    'unknown field "metadata.q"',
    'duplicate field "metadata.annotations.a"',
    'unknown field "metadata.w"',
  ];
  const warned = await api.send("POST", `${maps}?dryRun=All`, { body });
  assert.deepEqual(
    warned.headers.warning,
    problems.map((problem) => `299 - "${problem.replaceAll('"', '\\"')}"`),
  );
  const { body: refused } = await api.send("POST", `${maps}?fieldValidation=Strict`, { body });
  assert.equal(
    refused.message,
    `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${problems.join(", ")}`,
  );
});

test("unknown fields with numbers beyond a double are warnings, too", async () => {
  const api = await startApi();
  for (const odd of ["1e400", "-1e400"]) {
    const body = `{"metadata":{"name":"m","x":${odd}},"y":${odd}}`;
    const { status, headers } = await api.send("POST", `${maps}?dryRun=All`, { body });
    assert.equal(status, 201, odd);
    assert.deepEqual(headers.warning, ['299 - "unknown field \\"metadata.x\\""', '299 - "unknown field \\"y\\""']);
  }
});

test("each repeated key of YAML is a warning", async () => {
  const api = await startApi();
  const { headers } = await api.send("POST", `${maps}?dryRun=All`, {
    type: yaml,
    body: "metadata:\n  name: a\ndata:\n  x: a\n  x: b\n  x: c\n",
  });
  assert.deepEqual(
    headers.warning,
    [5, 6].map((line) => `299 - "line ${line}: key \\"x\\" already set in map"`),
  );
});
