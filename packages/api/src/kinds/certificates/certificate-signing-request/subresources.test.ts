import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldError } from "@coxswain/machinery";
import type { CertificateSigningRequest } from "@coxswain/types/certificates-v1";
import { stampConditions } from "./condition-times.ts";
import { certificatePem, requestPem } from "./pem-under-test.ts";
import { certificateSigningRequest } from "./strategy.ts";

const { approval } = certificateSigningRequest.subresources ?? {};
const approvalErrors = (next: CertificateSigningRequest, prev: CertificateSigningRequest): readonly FieldError[] => [
  ...(approval?.validateUpdate?.(next, prev) ?? []),
];
const now = "2026-01-01T00:00:00Z";
const spec = {
  request: btoa(requestPem),
  signerName: "example.com/s",
  usages: ["client auth"],
};
const stored: CertificateSigningRequest = { metadata: { name: "x" }, spec: { ...spec, username: "jane" }, status: {} };

test("the server says who asks", () => {
  const request: CertificateSigningRequest = { spec: { ...spec, username: "root", groups: ["system:masters"], uid: "0" } };
  certificateSigningRequest.prepareForCreate?.(request);
  assert.deepEqual(request.spec, spec);
  certificateSigningRequest.prepareForCreate?.(request, { username: "jane", groups: ["a"], extra: { k: ["v"] } });
  assert.deepEqual(request.spec, { ...spec, username: "jane", groups: ["a"], extra: { k: ["v"] } });
});

test("an approval changes the conditions and nothing else", () => {
  const next: CertificateSigningRequest = {
    metadata: { name: "x" },
    spec: { ...spec, username: "mallory" },
    status: { certificate: "eA==", conditions: [{ type: "Approved", status: "True", reason: "R" }] },
  };
  approval?.prepareForUpdate?.(next, stored, now);
  assert.deepEqual(next.spec, stored.spec);
  assert.deepEqual(next.status, {
    conditions: [{ type: "Approved", status: "True", reason: "R", lastUpdateTime: now, lastTransitionTime: now }],
  });
  assert.deepEqual(approvalErrors(next, stored), []);
});

test("a decision stays and excludes the other", () => {
  const approved = { ...stored, status: { conditions: [{ type: "Approved", status: "True" }] } };
  assert.match(approvalErrors(stored, approved)[0]?.message ?? "", /may not remove a condition of type "Approved"/);
  const both = { ...stored, status: { conditions: [...approved.status.conditions, { type: "Denied", status: "True" }] } };
  assert.match(approvalErrors(both, approved)[0]?.message ?? "", /mutually exclusive/);
});

test("a condition that keeps its status keeps its transition time", () => {
  const old = { type: "Approved", status: "True", lastTransitionTime: "2025-01-01T00:00:00Z" };
  const next: CertificateSigningRequest = { spec, status: { conditions: [{ type: "Approved", status: "True" }] } };
  stampConditions(next, { spec, status: { conditions: [old] } }, now);
  assert.deepEqual(next.status?.conditions, [{ ...old, lastUpdateTime: now }]);
});

test("a write to the status cannot touch a decision", () => {
  const prev: CertificateSigningRequest = { ...stored, status: { conditions: [{ type: "Approved", status: "True", reason: "old" }] } };
  const next: CertificateSigningRequest = { ...stored, status: { conditions: [{ type: "Approved", status: "True", reason: "new" }] } };
  certificateSigningRequest.subresources?.status?.prepareForUpdate?.(next, prev, now);
  assert.deepEqual(next.status?.conditions?.[0]?.reason, "old");
});

const certificates: readonly { readonly name: string; readonly pem: string; readonly problem?: string }[] = [
  { name: "one", pem: certificatePem },
  { name: "a chain, with text around it", pem: `leaf\n${certificatePem}${certificatePem}end` },
  { name: "text", pem: "none", problem: "must contain at least one CERTIFICATE PEM block" },
  {
    name: "a block that is no base64",
    pem: certificatePem.replace("MII", "!!!"),
    problem: "must contain at least one CERTIFICATE PEM block",
  },
  { name: "a request", pem: requestPem, problem: 'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"' },
  {
    name: "a block of nothing",
    pem: "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    problem: "found CERTIFICATE PEM block containing 0 certificates",
  },
  { name: "other bytes", pem: certificatePem.replace("MII", "AAA"), problem: "x509: malformed certificate" },
];
for (const { name, pem, problem } of certificates)
  test(`a signer's certificate: ${name}`, () => {
    const next: CertificateSigningRequest = { ...stored, status: { certificate: btoa(pem) } };
    const errors = [...(certificateSigningRequest.subresources?.status?.validateUpdate?.(next, stored) ?? [])].map(
      ({ message }) => message,
    );
    assert.deepEqual(errors, problem === undefined ? [] : [`Invalid value: "<certificate data>": ${problem}`]);
  });

test("a request that is none is refused", () => {
  const broken = { ...stored, spec: { ...spec, request: btoa(requestPem.replace("MI", "AA")) } };
  const [error] = certificateSigningRequest.validate?.(broken) ?? [];
  assert.match(error?.message ?? "", /: asn1: /);
});
