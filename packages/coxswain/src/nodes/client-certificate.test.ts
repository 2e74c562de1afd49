/** The client certificate of a node is replaced before it ends: in virtual time, by the real controller and signer. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { certificateSigningRequests, clusterRoleBindings } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import { nameWith } from "@coxswain/pki";
import { dayMs, exportKey, issueCertificate, type KeyPair, newKeys, newSerial, noNames } from "@coxswain/pki/node";
import { startCluster, virtualClock } from "../testing/index.ts";
import { rotateCertificates } from "./client-certificate.ts";
import { keepCertificate } from "./kept-certificate.ts";

const rbac = "rbac.authorization.k8s.io";

/** Good for ten minutes. */
function shortLived(now: number): KeyPair {
  const keys = newKeys();
  const subject = nameWith("system:node:one", ["system:nodes"]);
  const times = { notBefore: now, notAfter: now + 600_000 };
  const issuer = { subject, ...keys };
  const { publicKey } = keys;
  const cert = issueCertificate({
    subject,
    issuer,
    publicKey,
    serial: newSerial(),
    ...times,
    authority: false,
    usages: ["client auth"],
    names: noNames,
  });
  return { cert, key: exportKey(keys.privateKey) };
}

test("a node's certificate is rotated when most of its time is over, by the node itself", async (t) => {
  const certDir = mkdtempSync(join(tmpdir(), "coxswain-rotation-"));
  t.after(() => rmSync(certDir, { recursive: true, force: true }));
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { clock, random } = cluster.client;
  await cluster.client.resource(clusterRoleBindings).create({
    metadata: { name: "rotation" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient" },
    subjects: [{ apiGroup: rbac, kind: "Group", name: "system:nodes" }],
  });
  await using _ = await cluster.run({ controllers: ["csrapproving"] });
  const client = cluster.clientFor({ name: "system:node:one", groups: ["system:nodes"] });
  const stop = new AbortController();
  keepCertificate(certDir, "kubelet-client", shortLived(clock.now()), clock.now());
  const current = () => new X509Certificate(readFileSync(join(certDir, "kubelet-client-current.pem")));
  const first = current();
  const warnings: unknown[] = [];
  const log = { info: () => undefined, warn: (fields: object) => void warnings.push(fields) };
  const running = rotateCertificates({ client, node: "one", certDir, random, log }, stop.signal);
  await waitUntil("another certificate is there", () => current().fingerprint256 !== first.fingerprint256);
  stop.abort(new Error("the test is over"));
  await running;

  const [from, to] = [Date.parse(first.validFrom), Date.parse(first.validTo)];
  const part = (clock.now() - from) / (to - from);
  assert(part >= 0.7 && part < 0.95, `after ${part} of its time`);
  assert(Date.parse(current().validTo) > to + 30 * dayMs);
  assert.equal(readdirSync(certDir).filter((name) => /^kubelet-client-\d{4}(-\d\d){5}\.pem$/.test(name)).length, 2);
  assert.deepEqual(warnings, []);
  const { items } = await cluster.client.resource(certificateSigningRequests).list();
  assert(items.every(({ spec }) => spec?.username === "system:node:one"));
});
