import assert from "node:assert/strict";
import { test } from "node:test";
import { kubeletRequest, otherRequest } from "../shared/certificates/requests-under-test.ts";
import { approved, plan } from "./plan.ts";

const usages = ["digital signature", "client auth"];
const csr = {
  spec: { request: kubeletRequest, signerName: "kubernetes.io/kube-apiserver-client-kubelet", usages, username: "system:bootstrap:abc" },
};
const cases = [
  { name: "a kubelet that joins has to be allowed to ask for a Node", given: csr, expect: ["nodeclient"] },
  {
    name: "one that renews, for itself",
    given: { spec: { ...csr.spec, username: "system:node:n1" } },
    expect: ["selfnodeclient", "nodeclient"],
  },
  {
    name: "of another signer nothing is known",
    given: { spec: { ...csr.spec, signerName: "kubernetes.io/kube-apiserver-client" } },
    expect: [],
  },
  { name: "nor of who is no kubelet", given: { spec: { ...csr.spec, request: otherRequest } }, expect: [] },
  { name: "nor of a kubelet with other usages", given: { spec: { ...csr.spec, usages: [...usages, "server auth"] } }, expect: [] },
  { name: "what is denied stays so", given: { ...csr, status: { conditions: [{ type: "Denied", status: "True" }] } }, expect: [] },
  { name: "what is issued is done", given: { ...csr, status: { certificate: "x" } }, expect: [] },
];
for (const { name, given, expect } of cases)
  test(name, () => {
    assert.deepEqual(
      plan(given).map(({ subresource }) => subresource),
      expect,
    );
  });

test("an approval says that nobody has looked", () => {
  assert.deepEqual(approved(csr, "why", Date.UTC(2026, 0, 1)).status?.conditions, [
    { type: "Approved", status: "True", reason: "AutoApproved", message: "why", lastUpdateTime: "2026-01-01T00:00:00Z" },
  ]);
});
