import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dayMs } from "@coxswain/pki/node";
import { keepAuthority, signerOf } from "../pki/authority.ts";
import { certificateNames, certificateOf, issue, readPair, wantedCertificates, writePair } from "../pki/certificates.ts";
import type { PemStore } from "../pki/pem-store.ts";
import { certificateReport, namedCertificates, renewCertificate } from "./certificate-report.ts";
import { pemDirectory, pemMemory } from "./private-file.ts";

const now = Date.UTC(2026, 0, 1);
const served = { dns: ["localhost", "api.example"], ip: ["127.0.0.1", "::1", "fd00::9"] };

/** As a server leaves it. */
function filled(store: PemStore = pemMemory()): PemStore {
  const wanted = wantedCertificates(served, { name: "root", groups: ["system:masters"] });
  for (const name of certificateNames) {
    const signer = signerOf(keepAuthority(store, name === "front-proxy-client" ? "front-proxy-ca" : "ca", now));
    assert.ok(signer);
    writePair(store, name, issue(signer, wanted[name], now));
  }
  return store;
}

/** Without some of its files. */
const without = (store: PemStore, ...names: readonly string[]): PemStore => ({
  read: (name) => (names.includes(name) ? undefined : store.read(name)),
  write: (name, pem) => store.write(name, pem),
});

test("the report says when each certificate ends, by whom it is signed, and what is missing or managed elsewhere", () => {
  const store = without(filled(), "ca.key", "admin.crt");
  const { certificates, certificateAuthorities } = certificateReport(store, {}, now + 300 * dayMs);
  assert.deepEqual(certificates[0], {
    name: "admin",
    expirationDate: undefined,
    residualTime: 0,
    missing: true,
    caName: "ca",
    externallyManaged: true,
  });
  assert.deepEqual(certificates[3], {
    name: "front-proxy-client",
    expirationDate: "2027-01-01T00:00:00Z",
    residualTime: 65 * 24 * 3_600,
    missing: false,
    caName: "front-proxy-ca",
    externallyManaged: false,
  });
  assert.deepEqual(
    certificateAuthorities.map(({ name, externallyManaged, missing }) => [name, externallyManaged, missing]),
    [
      ["ca", true, false],
      ["front-proxy-ca", false, false],
    ],
  );
});

for (const name of certificateNames)
  test(`a renewed ${name} says the same, ends later, and has another key`, () => {
    const store = filled();
    const [before, later] = [readPair(store, name), now + 200 * dayMs];
    assert.ok(before);
    assert.equal(renewCertificate(store, {}, name, later), later + 365 * dayMs);
    const after = readPair(store, name);
    assert.ok(after);
    const [old, next] = [new X509Certificate(before.cert), certificateOf(after)];
    assert.ok(next);
    for (const field of ["subject", "issuer", "subjectAltName"] as const) assert.equal(next[field], old[field]);
    assert.deepEqual(next.keyUsage, old.keyUsage);
    assert.notEqual(after.key, before.key);
    assert.equal(after.key.split("\n")[0], before.key.split("\n")[0]);
  });

const refusals = [
  {
    name: "what is not there",
    store: without(filled(), "admin.key"),
    why: /: it is not there, or damaged; the server makes what is missing/,
  },
  {
    name: "what is signed elsewhere",
    store: without(filled(), "ca.key"),
    why: /: its authority ca is externally managed, the key of which/,
  },
];
for (const { name, store, why } of refusals)
  test(`${name} is not renewed`, () => {
    const before = store.read("admin.crt");
    assert.throws(() => renewCertificate(store, {}, "admin", now), { name: "StartError", message: why });
    assert.equal(store.read("admin.crt"), before);
  });

test("names mean certificates alone", () => {
  assert.deepEqual(namedCertificates(["admin", "apiserver"]), ["admin", "apiserver"]);
  assert.deepEqual(namedCertificates(["all"]), certificateNames);
  assert.throws(() => namedCertificates(["ca"]), /ca is an authority/);
  assert.throws(() => namedCertificates(["scheduler.conf"]), /there is no certificate "scheduler.conf"; there are admin, apiserver/);
});

const skip = process.getuid?.() !== 0 && "only root writes for others";
test("what root renews is for the user that the server runs as", { skip }, (t) => {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const store = filled(pemDirectory(directory, { uid: 4321, gid: 4322 }));
  renewCertificate(store, {}, "apiserver", now);
  const { uid, gid, mode } = statSync(join(directory, "apiserver.key"));
  assert.deepEqual([uid, gid, mode & 0o777], [4321, 4322, 0o600]);
});
