import assert from "node:assert/strict";
import { test } from "node:test";
import { kubeletRequest, otherRequest } from "../shared/certificates/requests-under-test.ts";
import { approved, plan } from "./plan.ts";

const usages = ["digital signature", "client auth"];
const csr = {
  spec: { request: kubeletRequest, signerName: "kubernetes.io/kube-apiserver-client-kubelet", usages, username: "system:bootstrap:abc" },
};
const cases = [
  { name: "a request of a joining kubelet needs nodeclient", given: csr, expect: ["nodeclient"] },
  {
    name: "a request of a kubelet for its own Node needs selfnodeclient, or nodeclient",
    given: { spec: { ...csr.spec, username: "system:node:n1" } },
    expect: ["selfnodeclient", "nodeclient"],
  },
  {
    name: "a request for another signer is not approved",
    given: { spec: { ...csr.spec, signerName: "kubernetes.io/kube-apiserver-client" } },
    expect: [],
  },
  { name: "a request that is not a kubelet's is not approved", given: { spec: { ...csr.spec, request: otherRequest } }, expect: [] },
  { name: "a request with other usages is not approved", given: { spec: { ...csr.spec, usages: [...usages, "server auth"] } }, expect: [] },
  { name: "a denied request is not approved", given: { ...csr, status: { conditions: [{ type: "Denied", status: "True" }] } }, expect: [] },
  { name: "an issued request is not approved again", given: { ...csr, status: { certificate: "x" } }, expect: [] },
];
for (const { name, given, expect } of cases)
  test(name, () => {
    assert.deepEqual(
      plan(given).map(({ subresource }) => subresource),
      expect,
    );
  });

test("an approval says that it was automatic", () => {
  assert.deepEqual(approved(csr, "why", Date.UTC(2026, 0, 1)).status?.conditions, [
    { type: "Approved", status: "True", reason: "AutoApproved", message: "why", lastUpdateTime: "2026-01-01T00:00:00Z" },
  ]);
});
