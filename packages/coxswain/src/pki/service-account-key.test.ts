import assert from "node:assert/strict";
import { test } from "node:test";
import { pemMemory } from "../access/private-file.ts";
import { serviceAccountKey } from "./service-account-key.ts";

test("the key of service account tokens outlives a restart", () => {
  const store = pemMemory();
  assert.equal(serviceAccountKey(store), serviceAccountKey(store));
  assert.notEqual(serviceAccountKey(store), serviceAccountKey(pemMemory()));
});

test("a damaged key of service account tokens is replaced", () => {
  const store = pemMemory();
  store.write("sa.key", "damaged");
  assert.match(serviceAccountKey(store), /^-----BEGIN PRIVATE KEY-----\n/);
});
