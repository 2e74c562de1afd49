import assert from "node:assert/strict";
import { test } from "node:test";
import { createdAs, updatedAs } from "../../kind-under-test.ts";
import { secret } from "../secret/strategy.ts";
import { configMap } from "./strategy.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const mebibyte = 1024 * 1024;

const configMaps = [
  {
    name: "keys may look like file names",
    body: { data: { "a.b_c-D": "1", "...a": "2" } },
    expect: ["data[...a]: Invalid value: \"...a\": must not start with '..'"],
  },
  { name: "a dot is no key", body: { data: { ".": "" } }, expect: ["data[.]: Invalid value: \".\": must not be '.'"] },
  {
    name: "a key is text or binary",
    body: { data: { a: "1" }, binaryData: { a: "MQ==" } },
    expect: ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  },
  { name: "a mebibyte fits", body: { data: { a: "x".repeat(mebibyte) } }, expect: [] },
  {
    name: "a byte more does not",
    body: { data: { a: "x".repeat(mebibyte) }, binaryData: { b: "MQ==" } },
    expect: ["[]: Too long: may not be more than 1048576 bytes"],
  },
  {
    name: "bytes count, not characters",
    body: { data: { a: "ä".repeat(mebibyte / 2 + 1) } },
    expect: ["[]: Too long: may not be more than 1048576 bytes"],
  },
];
for (const { name, body, expect } of configMaps)
  test(`config maps: ${name}`, () => assert.deepEqual(createdAs(configMap, body).problems, expect));

test("a sealed config map stays as it is", () => {
  const prev = createdAs(configMap, { immutable: true, data: { a: "1" } }).object;
  const why = "Forbidden: field is immutable when `immutable` is set";
  assert.deepEqual(updatedAs(configMap, prev, { immutable: true, data: { a: "1" } }).problems, []);
  assert.deepEqual(updatedAs(configMap, prev, { data: { a: "2" } }).problems, [`immutable: ${why}`, `data: ${why}`]);
});

const redacted = 'Invalid value: "<secret contents redacted>"';
const secrets = [
  { type: "kubernetes.io/tls", data: { "tls.crt": "" }, expect: ["data[tls.key]: Required value"] },
  { type: "kubernetes.io/basic-auth", data: {}, expect: ["data[username]: Required value", "data[password]: Required value"] },
  { type: "kubernetes.io/basic-auth", data: { password: "" }, expect: [] },
  { type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" }, expect: ["data[ssh-privatekey]: Required value"] },
  { type: "kubernetes.io/dockercfg", data: {}, expect: ["data[.dockercfg]: Required value"] },
  { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": base64('{"auths":{}}') }, expect: [] },
  {
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": base64("[]") },
    expect: [`data[.dockerconfigjson]: ${redacted}: json: cannot unmarshal array into Go value of type map[string]interface {}`],
  },
  {
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": "" },
    expect: [`data[.dockerconfigjson]: ${redacted}: unexpected end of JSON input`],
  },
  {
    type: "kubernetes.io/service-account-token",
    data: {},
    expect: ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
  },
  { type: "example.com/own", data: {}, expect: [] },
];
for (const { type, data, expect } of secrets)
  test(`a secret of type ${type} with ${Object.keys(data).join() || "nothing"}`, () =>
    assert.deepEqual(createdAs(secret, { type, data }).problems, expect));

test("plain text overrides data and is never read back", () => {
  const { object } = createdAs(secret, { data: { a: base64("old"), b: base64("b") }, stringData: { a: "né", __proto__x: "" } });
  assert.deepEqual({ ...object.data }, { a: base64("né"), b: base64("b"), __proto__x: "" });
  assert.equal("stringData" in object, false);
});

test("a secret's type stays", () => {
  const prev = createdAs(secret, { type: "example.com/own" }).object;
  assert.deepEqual(updatedAs(secret, prev, {}).problems, ['type: Invalid value: "Opaque": field is immutable']);
});

test("warns of a certificate that is none", () => {
  const { warnings } = createdAs(secret, { type: "kubernetes.io/tls", data: { "tls.crt": base64("x"), "tls.key": base64("y") } });
  assert.deepEqual(warnings, ["tls: failed to find any PEM data in certificate input"]);
});
