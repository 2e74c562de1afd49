import assert from "node:assert/strict";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { type Attribute, attributeTypes, writeName } from "@coxswain/pki";
import { issueCertificate, type Usage } from "@coxswain/pki/node";
import { staticContent } from "../contracts/content-provider.ts";
import { ClientAuthorities } from "./client-authorities.ts";
import { clientCertificateAuthenticator } from "./client-certificate.ts";

const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
const clock = new ManualClock();
const { organization, commonName, userId } = attributeTypes;
const jane: Attribute[] = [
  { type: organization, value: "devs" },
  { type: organization, value: "CN=root\nops" },
  { type: commonName, value: "jane" },
];

function certificateOf(attributes: readonly Attribute[], usages: readonly Usage[]): X509Certificate {
  const subject = writeName(attributes);
  const times = { notBefore: clock.now() - 1000, notAfter: clock.now() + 60_000 };
  const own = { subject, issuer: { subject, ...keys }, publicKey: keys.publicKey, serial: Uint8Array.of(1), authority: false };
  return new X509Certificate(issueCertificate({ ...own, ...times, usages, names: { dns: [], email: [], uri: [], ip: [] } }));
}

/** What is trusted itself needs nobody's signature. */
const trusting = (certificate: X509Certificate): ClientAuthorities => new ClientAuthorities([staticContent(() => certificate.toString())]);

test("the subject of a client certificate is the user", () => {
  const certificate = certificateOf([...jane, { type: userId, value: "7" }], ["client auth"]);
  const answer = clientCertificateAuthenticator(
    clock,
    trusting(certificate),
  )({
    headers: {},
    clientCertificate: { certificate, problem: undefined },
  });
  const id = `X509SHA256=${certificate.fingerprint256.replaceAll(":", "").toLowerCase()}`;
  assert.deepEqual(answer, {
    kind: "authenticated",
    user: {
      name: "jane",
      uid: "7",
      groups: ["devs", "CN=root\nops", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": [id] },
    },
  });
});

const uids = ["7", "8"].map((value) => ({ type: userId, value }));
const others = [
  { name: "one without a common name identifies no user", attributes: jane.slice(0, 2), usages: ["client auth"], expect: "unclaimed" },
  { name: "one for servers is refused", attributes: jane, usages: ["server auth"], expect: "rejected" },
  { name: "one without a purpose is for all", attributes: jane, usages: [], expect: "authenticated" },
  { name: "one with two uids is refused", attributes: [...jane, ...uids], usages: ["client auth"], expect: "rejected" },
  {
    name: "one with an empty uid is refused",
    attributes: [...jane, { type: userId, value: "" }],
    usages: ["client auth"],
    expect: "rejected",
  },
  { name: "one that the handshake did not trust is refused", attributes: jane, usages: ["client auth"], problem: "x", expect: "rejected" },
] as const;
for (const { name, attributes, usages, expect, ...more } of others) {
  test(`client certificates: ${name}`, async () => {
    const problem = "problem" in more ? more.problem : undefined;
    const certificate = certificateOf(attributes, usages);
    const clientCertificate = { certificate, problem };
    assert.equal((await clientCertificateAuthenticator(clock, trusting(certificate))({ headers: {}, clientCertificate })).kind, expect);
  });
}

test("client certificates: one that expires on an open connection is counted with what remains, and refused from then on", async () => {
  const certificate = certificateOf(jane, ["client auth"]);
  const remaining: number[] = [];
  const metrics = { recordCertificate: (seconds: number): void => void remaining.push(seconds) };
  const authenticate = clientCertificateAuthenticator(clock, trusting(certificate), metrics);
  const clientCertificate = { certificate, problem: undefined };
  assert.equal((await authenticate({ headers: {}, clientCertificate })).kind, "authenticated");
  const [first = 0] = remaining;
  clock.advance(1_000);
  assert.equal((await authenticate({ headers: {}, clientCertificate })).kind, "authenticated");
  clock.advance(59_001);
  assert.equal((await authenticate({ headers: {}, clientCertificate })).kind, "rejected");
  assert.deepEqual(remaining, [first, first - 1]);
  assert.ok(first > 0 && first <= 60);
});
