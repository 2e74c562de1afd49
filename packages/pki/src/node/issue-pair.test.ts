import assert from "node:assert/strict";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { nameWith } from "../x509/name.ts";
import { issueCertificate } from "./issue-certificate.ts";
import { dayMs, issuePair, issuerOf, type KeyPair, newSerial, noNames } from "./issue-pair.ts";
import { exportKey, type Keys } from "./keys.ts";

const now = Date.UTC(2026, 0, 1);

function authority(keys: Keys): KeyPair {
  const subject = nameWith("Issuing CA", ["Example, Inc.", "Platform"]);
  const cert = issueCertificate({
    ...{ subject, issuer: { subject, ...keys }, publicKey: keys.publicKey, serial: newSerial() },
    ...{ notBefore: now, notAfter: now + 3650 * dayMs, authority: true },
    ...{ usages: ["cert sign", "crl sign"], names: noNames },
  });
  return { cert, key: exportKey(keys.privateKey) };
}

const kinds: readonly { readonly name: string; readonly keys: () => Keys }[] = [
  { name: "EC P-256", keys: () => generateKeyPairSync("ec", { namedCurve: "P-256" }) },
  { name: "EC P-384", keys: () => generateKeyPairSync("ec", { namedCurve: "P-384" }) },
  { name: "RSA", keys: () => generateKeyPairSync("rsa", { modulusLength: 2048 }) },
  { name: "Ed25519", keys: () => generateKeyPairSync("ed25519") },
];
for (const { name, keys } of kinds)
  test(`an authority with a key of type ${name} signs itself and others`, () => {
    const by = authority(keys());
    const own = new X509Certificate(by.cert);
    assert.ok(own.checkIssued(own) && own.verify(own.publicKey));
    const pair = issuePair(issuerOf(by), { subject: nameWith("jane", ["dev"]), usage: "client auth" }, now);
    const certificate = new X509Certificate(pair.cert);
    assert.equal(certificate.issuer, own.subject);
    assert.ok(certificate.checkIssued(own) && certificate.verify(own.publicKey));
  });

test("a key that cannot sign certificates is refused", () => {
  const keys = generateKeyPairSync("x25519");
  assert.throws(() => authority(keys), /an authority cannot sign with a key of type x25519/);
});
