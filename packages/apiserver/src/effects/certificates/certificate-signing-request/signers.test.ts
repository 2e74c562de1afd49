import assert from "node:assert/strict";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { ruleOf } from "@coxswain/api";
import {
  type AlternativeNames,
  type Attribute,
  attributeTypes,
  ipBytes,
  nameWith,
  readElement,
  readName,
  subjectOf,
  tags,
  writeName,
} from "@coxswain/pki";
import { CertificateAuthority, issueCertificate, newKeys, noNames, parseSigningRequest, writeSigningRequest } from "@coxswain/pki/node";
import { certify } from "./signers.ts";

interface Wanted extends Partial<AlternativeNames> {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly others?: readonly Attribute[];
}

const keys = newKeys();

/** As `spec.request` has it. */
function signingRequest({ commonName, organizations = [], others = [], ...names }: Wanted): string {
  const subject = writeName([
    ...organizations.map((value) => ({ type: attributeTypes.organization, value })),
    ...others,
    ...(commonName === undefined ? [] : [{ type: attributeTypes.commonName, value: commonName }]),
  ]);
  return Buffer.from(writeSigningRequest({ subject, names: { ...noNames, ...names }, ...keys })).toString("base64");
}

const client = "kubernetes.io/kube-apiserver-client";
const kubelet = "kubernetes.io/kube-apiserver-client-kubelet";
const serving = "kubernetes.io/kubelet-serving";
const node: Wanted = { commonName: "system:node:n", organizations: ["system:nodes"] };
const ip = [ipBytes("10.0.0.9")];
const asClient = ["digital signature", "key encipherment", "client auth"];
const asServer = ["digital signature", "server auth"];

const rules: readonly { signer: string; wanted: Wanted; usages: readonly string[]; says: string | undefined }[] = [
  { signer: client, wanted: { commonName: "jane" }, usages: ["client auth"], says: undefined },
  { signer: client, wanted: { commonName: "jane" }, usages: asClient, says: undefined },
  { signer: client, wanted: {}, usages: ["digital signature"], says: "missing required usage for client certificate: client auth" },
  { signer: client, wanted: {}, usages: ["client auth", "server auth"], says: "invalid usage for client certificate: server auth" },
  { signer: kubelet, wanted: node, usages: asClient, says: undefined },
  { signer: kubelet, wanted: node, usages: ["client auth", "digital signature"], says: undefined },
  { signer: kubelet, wanted: { commonName: "system:node:n" }, usages: asClient, says: "subject organization is not system:nodes" },
  {
    signer: kubelet,
    wanted: { ...node, organizations: ["system:nodes", "system:masters"] },
    usages: asClient,
    says: "subject organization is not system:nodes",
  },
  { signer: kubelet, wanted: { ...node, dns: ["n"] }, usages: asClient, says: "DNS subjectAltNames are not allowed" },
  { signer: kubelet, wanted: { ...node, email: ["n"] }, usages: asClient, says: "Email subjectAltNames are not allowed" },
  { signer: kubelet, wanted: { ...node, ip }, usages: asClient, says: "IP subjectAltNames are not allowed" },
  { signer: kubelet, wanted: { ...node, uri: ["n"] }, usages: asClient, says: "URI subjectAltNames are not allowed" },
  {
    signer: kubelet,
    wanted: { ...node, commonName: "n" },
    usages: asClient,
    says: "subject common name does not begin with system:node:",
  },
  {
    signer: kubelet,
    wanted: node,
    usages: asServer,
    says: "usages did not match [client auth digital signature key encipherment]",
  },
  { signer: serving, wanted: { ...node, ip }, usages: asServer, says: undefined },
  { signer: serving, wanted: { ...node, dns: ["n"] }, usages: [...asServer, "key encipherment"], says: undefined },
  { signer: serving, wanted: node, usages: asServer, says: "DNS or IP subjectAltName is required" },
  { signer: serving, wanted: { ...node, ip, email: ["n"] }, usages: asServer, says: "Email subjectAltNames are not allowed" },
  { signer: serving, wanted: { ...node, ip, uri: ["n"] }, usages: asServer, says: "URI subjectAltNames are not allowed" },
  { signer: serving, wanted: { ip }, usages: asServer, says: "subject organization is not system:nodes" },
  {
    signer: serving,
    wanted: { ...node, commonName: "n", ip },
    usages: asServer,
    says: "subject common name does not begin with system:node:",
  },
  {
    signer: serving,
    wanted: { ...node, ip },
    usages: asClient,
    says: "usages did not match [digital signature key encipherment server auth]",
  },
];
for (const { signer, wanted, usages, says } of rules) {
  test(`${signer}: ${JSON.stringify(wanted)} for ${usages.join(", ")}: ${says ?? "is signed"}`, () => {
    assert.equal(ruleOf(signer)?.(parseSigningRequest(signingRequest(wanted)), usages), says);
  });
}

test("other signers are not ours", () => assert.equal(ruleOf("example.com/own"), undefined));

const now = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const random = { next: () => 0, uuid: () => "f0000000-0000-4000-8000-000000000001" };

function authorityFor(ms: number): CertificateAuthority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = nameWith("test");
  const names = { dns: [], email: [], uri: [], ip: [] };
  const times = { notBefore: now - dayMs, notAfter: now + ms };
  const own = { subject, issuer: { subject, ...keys }, publicKey: keys.publicKey, serial: Uint8Array.of(1), authority: true };
  const cert = issueCertificate({ ...own, ...times, usages: ["cert sign"], names });
  return new CertificateAuthority({ cert, key: keys.privateKey.export({ format: "pem", type: "pkcs8" }).toString() });
}

function issued(
  wanted: Wanted,
  usages: readonly string[],
  expirationSeconds?: number,
  authority = authorityFor(3650 * dayMs),
): X509Certificate {
  const request = parseSigningRequest(signingRequest(wanted));
  return new X509Certificate(certify(request, { usages, expirationSeconds }, { authority, now, random }));
}

test("a certificate says what was asked for and nothing more", () => {
  const authority = authorityFor(3650 * dayMs);
  const others = [
    { type: attributeTypes.userId, value: "7" },
    { type: attributeTypes.commonName, value: "first" },
  ];
  const wanted = { commonName: "jane", organizations: ["a", "b"], others, dns: ["x.example.com"], ip };
  const certificate = issued(wanted, asClient, undefined, authority);
  assert.equal(certificate.verify(new X509Certificate(authority.cert).publicKey), true);
  assert.equal(certificate.checkIssued(new X509Certificate(authority.cert)), true);
  assert.equal(certificate.ca, false);
  assert.deepEqual(certificate.keyUsage, ["1.3.6.1.5.5.7.3.2"]);
  assert.equal(certificate.subjectAltName, "DNS:x.example.com, IP Address:10.0.0.9");
  assert.deepEqual(
    readName(subjectOf(readElement(certificate.raw, tags.sequence))).map(({ value }) => value),
    ["a", "b", "jane"],
  );
});

const lifetimes = [
  { name: "a year where the request names no lifetime", seconds: undefined, ms: 365 * dayMs - 5 * minuteMs },
  { name: "never more than a year", seconds: 2 ** 31 - 1, ms: 365 * dayMs - 5 * minuteMs },
  { name: "as long as asked for, from its backdated begin on", seconds: 86_400, ms: dayMs - 5 * minuteMs },
  { name: "exactly as long as asked for when that is short", seconds: 3600, ms: 60 * minuteMs },
  { name: "no longer than its authority", seconds: undefined, ms: dayMs, authority: authorityFor(dayMs) },
];
for (const { name, seconds, ms, authority } of lifetimes) {
  test(`a certificate lasts ${name}`, () => {
    const certificate = issued({ commonName: "x" }, ["client auth"], seconds, authority);
    assert.equal(certificate.validFromDate.getTime(), now - 5 * minuteMs);
    assert.equal(certificate.validToDate.getTime(), now + ms);
  });
}
