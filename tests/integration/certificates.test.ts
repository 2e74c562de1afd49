import assert from "node:assert/strict";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { issueCertificate } from "@coxswain/pki/node";
import { StorageError, type Write } from "@coxswain/store";
import { type Api, changesAfter, type Json, startApi } from "./api.ts";
import { until } from "./conversion-webhook.ts";
import { beforeWrite, putOf } from "./scripted-writes.ts";

const csrs = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const client = "kubernetes.io/kube-apiserver-client";
const kubelet = "kubernetes.io/kube-apiserver-client-kubelet";

/** What openssl made: its subject is the name. */
const requests = {
  "O=devs, O=ops, CN=jane": [
    "MIHoMIGOAgEAMCwxDTALBgNVBAoMBGRldnMxDDAKBgNVBAoMA29wczENMAsGA1UEAwwEamFuZTBZMBMGByqGSM49AgEGCCqGSM49",
    "AwEHA0IABKv9/24XCPk1Iz9V2DWa9XGH7EGuiy8Oh4A8sSB0+iMbvaSDdvnZ0k4XvpqaPlbthic6lkzvKT1JYAMMX3Co/R6gADAK",
    "BggqhkjOPQQDAgNJADBGAiEA6cyEm9h0XXFL3M9VXRspyyrB++3i1h6ohlAn4VoA2BMCIQCvmDX6crJzsgx03uOt685ZD43mnp91",
    "orXh5mKTNzg6NQ==",
  ],
  "O=system:masters, CN=root": [
    "MIHiMIGKAgEAMCgxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQ0wCwYDVQQDDARyb290MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD",
    "QgAEeCzHnPtZA24+SbX2mg/AbPp5nYuqIpsihbgOG7MgCWk4XlDb9A15XWXuth4YZbVVhu1nI8j1H0WPQYivswWeI6AAMAoGCCqG",
    "SM49BAMCA0cAMEQCICv++nmCKFHhzrYqldktwODq3GWd/GqIzODlxxJfe/E9AiAnmWRNyXon/jeOEwcCsKFl9LaZJ97ieyTmpO+p",
    "9l3iGA==",
  ],
};

const encoded = (of: keyof typeof requests): string =>
  Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${requests[of].join("")}\n-----END CERTIFICATE REQUEST-----\n`).toString("base64");

const jane = { request: encoded("O=devs, O=ops, CN=jane"), signerName: client, usages: ["client auth"] };

function authority(now: number): { cert: string; key: string } {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = nameWith("test");
  const own = { subject, issuer: { subject, ...keys }, publicKey: keys.publicKey, serial: Uint8Array.of(1), authority: true };
  const times = { notBefore: now, notAfter: now + 10 * 365 * 24 * 3600 * 1000 };
  const cert = issueCertificate({ ...own, ...times, usages: ["cert sign"], names: { dns: [], email: [], uri: [], ip: [] } });
  return { cert, key: keys.privateKey.export({ format: "pem", type: "pkcs8" }).toString() };
}

const ca = authority(new ManualClock().now());
const start = (): Promise<Api> => startApi({ authority: ca, authorizer: () => ({ kind: "allow", reason: "" }) });

async function ask(api: Api, spec: object = jane): Promise<Json> {
  const { status, body, text } = await api.send("POST", csrs, { body: { metadata: { name: "x" }, spec } });
  assert.equal(status, 201, text);
  return body;
}

async function decide(api: Api, type: string, target = `${csrs}/x/approval`): Promise<Json> {
  const { body: csr } = await api.send("GET", `${csrs}/x`);
  csr.status = { ...csr.status, conditions: [{ type, status: "True", reason: "Test" }] };
  const { status, body, text } = await api.send("PUT", target, { body: csr });
  assert.equal(status, 200, text);
  return body;
}

const read = async (api: Api): Promise<Json> => (await api.send("GET", `${csrs}/x`)).body.status;

test("an approval is answered as it was written, and then there is a certificate that lets its owner in", async () => {
  const api = await start();
  await ask(api);
  assert.equal((await decide(api, "Approved")).status.certificate, undefined);
  const { certificate: encodedCertificate, conditions } = await read(api);
  assert.deepEqual(
    conditions.map(({ type }: Json) => type),
    ["Approved"],
  );
  const certificate = new X509Certificate(Buffer.from(encodedCertificate, "base64"));
  assert.equal(certificate.subject, "O=devs\nO=ops\nCN=jane");
  assert.equal(certificate.verify(new X509Certificate(ca.cert).publicKey), true);
  const clientCertificate = { certificate, problem: undefined };
  const whoami = await api.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { body: {}, clientCertificate });
  assert.equal(whoami.body.status.userInfo.username, "jane");
  assert.deepEqual(whoami.body.status.userInfo.groups, ["devs", "ops", "system:authenticated"]);
});

test("an approval by patch is signed too", async () => {
  const api = await start();
  await ask(api);
  const body = { status: { conditions: [{ type: "Approved", status: "True", reason: "Test" }] } };
  await api.send("PATCH", `${csrs}/x/approval`, { body, type: "application/merge-patch+json" });
  assert.notEqual((await read(api)).certificate, undefined);
});

test("what could not be signed at once is signed a little later", async () => {
  const api = await start();
  await ask(api);
  let puts = 0;
  const isSignature = (op: Write): boolean => putOf("/certificatesigningrequests/x")(op) && ++puts === 2;
  beforeWrite(api.store, isSignature, async () => {
    throw new StorageError("the disk is full");
  });
  await decide(api, "Approved");
  assert.equal((await read(api)).certificate, undefined);
  api.clock.advance(1_000);
  await until(async () => (await read(api)).certificate !== undefined);
});

test("what was signed is not signed again", async () => {
  const api = await start();
  await ask(api);
  await decide(api, "Approved");
  const first = (await read(api)).certificate;
  const { revision } = api.store;
  await api.send("PUT", `${csrs}/x/approval`, { body: (await api.send("GET", `${csrs}/x`)).body });
  assert.equal((await read(api)).certificate, first);
  assert.deepEqual(changesAfter(api.store, revision), []);
});

const unsigned = [
  { name: "denied", decision: "Denied", spec: jane },
  { name: "approved in a dry run", decision: "Approved", spec: jane, target: `${csrs}/x/approval?dryRun=All` },
  { name: "for another signer", decision: "Approved", spec: { ...jane, signerName: "example.com/own" } },
];
for (const { name, decision, spec, target } of unsigned) {
  test(`no certificate for a request that is ${name}`, async () => {
    const api = await start();
    await ask(api, spec);
    await decide(api, decision, target);
    const { certificate, conditions = [] } = await read(api);
    assert.equal(certificate, undefined);
    assert.equal(
      conditions.some(({ type }: Json) => type === "Failed"),
      false,
    );
  });
}

test("an approved request that its signer does not sign has failed", async () => {
  const api = await start();
  await ask(api, { ...jane, signerName: kubelet });
  await decide(api, "Approved");
  const { certificate, conditions } = await read(api);
  assert.equal(certificate, undefined);
  const now = "2026-01-01T00:00:00Z";
  assert.deepEqual(conditions[1], {
    type: "Failed",
    status: "True",
    reason: "SignerValidationFailure",
    message: "subject organization is not system:nodes",
    lastUpdateTime: now,
    lastTransitionTime: now,
  });
});

test("what was approved before a crash is signed with the next start", async () => {
  const before = await startApi();
  await ask(before);
  await decide(before, "Approved");
  assert.equal((await read(before)).certificate, undefined);
  const after = await startApi({ authority: ca, store: before.store });
  assert.notEqual((await read(after)).certificate, undefined);
});

const refused = [
  {
    name: "of an administrator",
    spec: { ...jane, request: encoded("O=system:masters, CN=root") },
    status: 403,
    says: `certificatesigningrequests.certificates.k8s.io "x" is forbidden: use of ${client} signer with system:masters group is not allowed`,
  },
  {
    name: "whose signature is not its key's",
    spec: { ...jane, request: tampered(jane.request) },
    status: 422,
    says: `CertificateSigningRequest.certificates.k8s.io "x" is invalid: spec.request: Invalid value: "${tampered(jane.request)}": x509: signature verification failure`,
  },
];
for (const { name, spec, status, says } of refused) {
  test(`no request ${name}`, async () => {
    const api = await start();
    const answer = await api.send("POST", csrs, { body: { metadata: { name: "x" }, spec } });
    assert.equal(answer.body.message, says);
    assert.equal(answer.status, status);
  });
}

/** Another letter in the subject. */
function tampered(base64: string): string {
  const [head = "", body = "", tail = ""] = Buffer.from(base64, "base64").toString().split("\n");
  const der = Buffer.from(body, "base64");
  der.write("jade", der.indexOf("jane"));
  return Buffer.from([head, der.toString("base64"), tail, ""].join("\n")).toString("base64");
}

test("approval and signing each require the verb on the signer", async () => {
  let may = "approve kubernetes.io/*";
  const api = await startApi({
    authority: ca,
    authorizer: (asked) => {
      const isSigner = asked.kind === "resource" && asked.resource === "signers" && !asked.user.groups.includes("system:masters");
      return { kind: !isSigner || may === `${asked.verb} ${asked.name}` ? "allow" : "noOpinion", reason: "" };
    },
    authenticators: [() => ({ kind: "authenticated", user: { name: "jane", uid: "", groups: [], extra: {} } })],
  });
  await ask(api);
  const { body: csr } = await api.send("GET", `${csrs}/x`);
  csr.status = { conditions: [{ type: "Approved", status: "True", reason: "Test" }] };
  may = `approve ${kubelet}`;
  const no = await api.send("PUT", `${csrs}/x/approval`, { body: csr });
  assert.match(
    no.body.message,
    /"x" is forbidden: user not permitted to approve requests with signerName "kubernetes.io\/kube-apiserver-client"$/,
  );
  may = "approve kubernetes.io/*";
  await decide(api, "Approved");
  const { body: signed } = await api.send("GET", `${csrs}/x`);
  assert.notEqual(signed.status.certificate, undefined);
  signed.status.conditions.push({ type: "Failed", status: "True" });
  const alsoNo = await api.send("PUT", `${csrs}/x/status`, { body: signed });
  assert.match(alsoNo.body.message, /user not permitted to sign requests/);
});

test("a certificate's requester owns no fields of the request, and metadata may be written with the decision", async () => {
  const api = await startApi();
  const request = encoded("O=devs, O=ops, CN=jane");
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const spec = { request, signerName: "example.com/s", usages: ["client auth"] };
  const made = await api.send("POST", path, { body: { metadata: { name: "x" }, spec } });
  assert.deepEqual([made.status, made.body.metadata.managedFields], [201, undefined]);
  const body = { metadata: { labels: { a: "b" } }, status: { conditions: [{ type: "Approved", status: "True", reason: "R" }] } };
  const approved = await api.send("PATCH", `${path}/x/approval`, { body, type: "application/merge-patch+json" });
  assert.deepEqual(approved.body.metadata.labels, { a: "b" });
  const bad = { status: { certificate: Buffer.from("none").toString("base64") } };
  const refused = await api.send("PATCH", `${path}/x/status`, { body: bad, type: "application/merge-patch+json" });
  assert.deepEqual([refused.status, refused.body.details.causes[0].field], [422, "status.certificate"]);
});

test("a write to the status of a VolumeAttachment leaves its metadata alone", async () => {
  const api = await startApi();
  const path = "/apis/storage.k8s.io/v1/volumeattachments";
  const spec = { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } };
  assert.equal((await api.send("POST", path, { body: { metadata: { name: "f" }, spec } })).status, 201);
  const body = { metadata: { labels: { a: "b" } }, status: { attached: true } };
  const { body: after } = await api.send("PATCH", `${path}/f/status`, { body, type: "application/merge-patch+json" });
  assert.equal(after.metadata.labels, undefined);
  const managers = after.metadata.managedFields.map(({ fieldsV1 }: { fieldsV1: object }) => Object.keys(fieldsV1));
  assert.deepEqual(managers, [["f:spec"], ["f:status"]]);
});
