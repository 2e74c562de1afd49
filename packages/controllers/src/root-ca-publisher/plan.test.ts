import assert from "node:assert/strict";
import { test } from "node:test";
import { nextConfigMap, plan } from "./plan.ts";

const published = nextConfigMap(undefined, "PEM");

test("a missing ConfigMap is created, with its description", () => {
  assert.equal(published?.metadata?.name, "kube-root-ca.crt");
  assert.deepEqual(published?.data, { "ca.crt": "PEM" });
  assert.match(published?.metadata?.annotations?.["kubernetes.io/description"] ?? "", /^Contains a CA bundle that/);
});

const metadata = { ...published?.metadata, uid: "1", resourceVersion: "7" };
const cases = [
  { name: "a ConfigMap that is up to date is left alone", current: { ...published, metadata }, repaired: false },
  {
    name: "the certificate of another authority is replaced",
    current: { ...published, metadata, data: { "ca.crt": "OTHER" } },
    repaired: true,
  },
  { name: "further data is removed", current: { ...published, metadata, data: { "ca.crt": "PEM", more: "" } }, repaired: true },
  {
    name: "a missing description is restored",
    current: { ...published, metadata: { ...metadata, annotations: { a: "b" } } },
    repaired: true,
  },
  {
    name: "a changed description stays",
    current: { ...published, metadata: { ...metadata, annotations: { "kubernetes.io/description": "ours" } } },
    repaired: false,
  },
];
for (const { name, current, repaired } of cases)
  test(name, () => {
    const next = nextConfigMap(current, "PEM");
    assert.equal(next !== undefined, repaired);
    if (next === undefined) return;
    assert.deepEqual([next.data, next.metadata?.resourceVersion], [{ "ca.crt": "PEM" }, "7"]);
    assert.deepEqual({ ...current.metadata.annotations, ...next.metadata?.annotations }, next.metadata?.annotations);
  });

test("a ConfigMap is created where there is none, and updated where it differs", () => {
  assert.equal(plan({ current: undefined, rootCa: "PEM" }).do, "create");
  assert.equal(plan({ current: { ...published, metadata }, rootCa: "PEM" }).do, "nothing");
  assert.equal(plan({ current: { ...published, metadata }, rootCa: "OTHER" }).do, "update");
});
