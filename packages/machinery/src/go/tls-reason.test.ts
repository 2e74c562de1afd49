import assert from "node:assert/strict";
import { test } from "node:test";
import { tlsReason } from "./tls-reason.ts";

const unverified = (why: string): string => `tls: failed to verify certificate: x509: ${why}`;
const names = (subjectaltname: string, host: string) => ({ code: "ERR_TLS_CERT_ALTNAME_INVALID", host, cert: { subjectaltname } });

const cases = [
  { failure: { code: "SELF_SIGNED_CERT_IN_CHAIN" }, says: unverified("certificate signed by unknown authority") },
  { failure: { code: "CERT_HAS_EXPIRED" }, says: unverified("certificate has expired or is not yet valid") },
  {
    failure: names("DNS:a.example, DNS:b.example", "c.example"),
    says: unverified("certificate is valid for a.example, b.example, not c.example"),
  },
  { failure: names("IP Address:10.0.0.1", "10.0.0.2"), says: unverified("certificate is valid for 10.0.0.1, not 10.0.0.2") },
  {
    failure: names("DNS:a.example", "10.0.0.2"),
    says: unverified("cannot validate certificate for 10.0.0.2 because it doesn't contain any IP SANs"),
  },
  {
    failure: names("IP Address:10.0.0.1", "a.example"),
    says: unverified("certificate is not valid for any names, but wanted to match a.example"),
  },
  { failure: { code: "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED" }, says: "remote error: tls: certificate required" },
  { failure: { code: "ECONNREFUSED" }, says: undefined },
  { failure: {}, says: undefined },
];
for (const { failure, says } of cases)
  test(`${JSON.stringify(failure)} is ${says}`, () => assert.equal(tlsReason(Object.assign(new Error("failed"), failure)), says));
