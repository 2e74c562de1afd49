import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { dayMs, type KeyPair } from "@coxswain/pki/node";
import { type AuthorityName, keepAuthority, signerOf } from "../pki/authority.ts";
import { certificateNames, issue, wantedCertificates, writePair } from "../pki/certificates.ts";
import type { PemStore } from "../pki/pem-store.ts";
import { type CertificatesOptions, ClusterCertificates } from "./cluster-certificates.ts";
import { pemDirectory, pemMemory } from "./private-file.ts";

const served = { dns: ["localhost"], ip: ["127.0.0.1", "::1"] };
const admin = { name: "root", groups: ["system:masters"] };
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

function setUp(options: Partial<CertificatesOptions> = {}) {
  const clock = options.clock ?? new ManualClock();
  const store = options.store ?? pemMemory();
  const certificates = new ClusterCertificates({ store, served, admin, clock, log: quiet, ...options });
  return { clock: clock as ManualClock, store, certificates };
}

function folder(t: TestContext): PemStore & { readonly directory: string } {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return { ...pemDirectory(directory), directory };
}

const endOf = ({ cert }: { readonly cert: string }): number => new X509Certificate(cert).validToDate.getTime();
const isSignedBy = ({ cert }: { readonly cert: string }, authority: { readonly cert: string }): boolean =>
  new X509Certificate(cert).verify(new X509Certificate(authority.cert).publicKey);

test("each certificate says what kubeadm's do, and is signed by its own authority", () => {
  const { certificates } = setUp();
  const { authority, frontProxyAuthority } = certificates;
  const subjects = certificateNames.map((name) => new X509Certificate(certificates.pair(name).current.cert).subject);
  assert.deepEqual(subjects, [
    "O=system:masters\nCN=root",
    "CN=kube-apiserver",
    "CN=kube-apiserver-kubelet-client",
    "CN=front-proxy-client",
  ]);
  for (const name of certificateNames) {
    const pair = certificates.pair(name).current;
    assert.equal(isSignedBy(pair, authority.current), name !== "front-proxy-client", name);
    assert.equal(isSignedBy(pair, frontProxyAuthority.current), name === "front-proxy-client", name);
  }
  assert.match(certificates.pair("admin").current.key, /^-----BEGIN EC PRIVATE KEY-----/);
  certificates[Symbol.dispose]();
});

test("over 1200 days nothing ends: each certificate is followed by the next one a month before its end", async () => {
  const { clock, certificates } = setUp();
  const kubelet = certificates.kubeletServing("node", served);
  const all = [...certificateNames.map((name) => certificates.pair(name)), kubelet];
  const changes = all.map(() => 0);
  all.forEach((pair, i) => {
    pair.subscribe((next) => {
      changes[i] = (changes[i] ?? 0) + 1;
      assert.equal(pair.current, next);
    });
  });
  const authority = certificates.authority.current;
  for (let day = 0; day < 1_200; day++) {
    await clock.advance(dayMs);
    for (const { current } of all) assert.ok(endOf(current) - clock.now() >= 29 * dayMs, `day ${day}`);
  }
  assert.deepEqual(changes, [3, 3, 3, 3, 3]);
  assert.equal(certificates.authority.current, authority);
  certificates[Symbol.dispose]();
  await clock.advance(400 * dayMs);
  assert.deepEqual(changes, [3, 3, 3, 3, 3]);
});

test("what another process writes counts soon, and half of a pair never does", async (t) => {
  const store = folder(t);
  const { clock, certificates } = setUp({ store });
  const signer = signerOf(certificates.authority.current);
  assert.ok(signer);
  const serving = certificates.pair("apiserver");
  const before = serving.current;
  const next = issue(signer, wantedCertificates(served, admin).apiserver, clock.now());
  store.write("apiserver.key", next.key);
  await clock.advance(60_000);
  assert.equal(serving.current, before);
  store.write("apiserver.crt", next.cert);
  // The system says so, on no clock.
  await waitUntil("the other certificate", () => serving.current.cert === next.cert);
  const later = issue(signer, wantedCertificates(served, admin).apiserver, clock.now());
  writePair(store, "apiserver", later);
  await clock.advance(60_000);
  assert.equal(serving.current.cert, later.cert);
  certificates[Symbol.dispose]();
});

test("a certificate that is damaged, of another authority or lacks a name is made anew with the next start", (t) => {
  const store = folder(t);
  const first = setUp({ store });
  first.certificates[Symbol.dispose]();
  const same = setUp({ store, clock: first.clock });
  assert.equal(same.certificates.pair("apiserver").current.cert, first.certificates.pair("apiserver").current.cert);
  same.certificates[Symbol.dispose]();
  store.write("admin.key", "no key");
  const another = { dns: [...served.dns, "other.example"], ip: served.ip };
  const changed = setUp({ store, clock: first.clock, served: another });
  for (const name of ["admin", "apiserver"] as const)
    assert.notEqual(changed.certificates.pair(name).current.cert, first.certificates.pair(name).current.cert, name);
  assert.equal(changed.certificates.pair("front-proxy-client").current.cert, first.certificates.pair("front-proxy-client").current.cert);
  changed.certificates[Symbol.dispose]();
});

test("a certificate that is damaged while the server runs counts on, and is made anew in its time", async (t) => {
  const store = folder(t);
  const { clock, certificates } = setUp({ store, pollMs: dayMs });
  const admin = certificates.pair("admin");
  const before = admin.current;
  await clock.advance(333 * dayMs);
  store.write("admin.key", "no key");
  await clock.advance(dayMs);
  assert.equal(admin.current, before);
  await clock.advance(2 * dayMs);
  assert.notEqual(admin.current, before);
  assert.ok(endOf(admin.current) > clock.now());
  assert.equal(store.read("admin.key"), admin.current.key);
  certificates[Symbol.dispose]();
});

/** As somebody who keeps the keys of the authorities elsewhere. */
function externallyManaged(store: PemStore & { readonly directory: string }, now: number): Readonly<Record<AuthorityName, KeyPair>> {
  const made = (name: AuthorityName): KeyPair => {
    const { cert, key } = keepAuthority(store, name, now);
    assert.ok(key);
    unlinkSync(join(store.directory, `${name}.key`));
    return { cert, key };
  };
  return { ca: made("ca"), "front-proxy-ca": made("front-proxy-ca") };
}

test("where the key of an authority is elsewhere nothing is made, and what is put there is used", async (t) => {
  const store = folder(t);
  const clock = new ManualClock();
  const authorities = externallyManaged(store, clock.now());
  assert.throws(() => setUp({ store, clock }), {
    name: "StartError",
    message: `the certificate admin is missing or has ended, and its authority is externally managed: put admin.crt and admin.key into ${store.directory}`,
  });
  const wanted = wantedCertificates(served, admin);
  const put = (): void => {
    for (const name of certificateNames) {
      const signer = signerOf(authorities[name === "front-proxy-client" ? "front-proxy-ca" : "ca"]);
      assert.ok(signer);
      writePair(store, name, issue(signer, wanted[name], clock.now()));
    }
  };
  put();
  const errors: object[] = [];
  const log = { ...quiet, error: (fields: object) => void errors.push(fields) };
  const { certificates } = setUp({ store, clock, log, pollMs: dayMs });
  assert.equal(certificates.authority.current.key, undefined);
  const before = certificates.pair("apiserver").current;
  await clock.advance(360 * dayMs);
  assert.equal(certificates.pair("apiserver").current, before);
  put();
  await clock.advance(dayMs);
  assert.notEqual(certificates.pair("apiserver").current, before);
  assert.deepEqual(errors, []);
  await clock.advance(366 * dayMs);
  assert.ok(errors.length > 0);
  certificates[Symbol.dispose]();
});

test("files of the user's own are used, followed, and not mixed up", async (t) => {
  const [store, own] = [folder(t), folder(t)];
  const clock = new ManualClock();
  const another = keepAuthority(own, "ca", clock.now());
  const signer = signerOf(another);
  assert.ok(signer);
  const mine = issue(signer, wantedCertificates(served, admin).apiserver, clock.now());
  writePair(own, "tls", mine);
  const file = (name: string): string => join(own.directory, name);
  const tls = { tlsCert: file("tls.crt"), tlsKey: file("tls.key") };
  const errors: unknown[] = [];
  const log = { ...quiet, error: (fields: object) => void errors.push(fields) };
  const { certificates } = setUp({ store, clock, files: tls, log });
  assert.equal(certificates.pair("apiserver").current.cert, mine.cert);
  assert.ok(!isSignedBy(mine, certificates.authority.current));
  assert.equal(certificates.servingAuthorities, `${certificates.authority.current.cert}${mine.cert}`);
  const next = issue(signer, wantedCertificates(served, admin).apiserver, clock.now());
  writeFileSync(tls.tlsKey, next.key);
  await clock.advance(60_000);
  assert.equal(certificates.pair("apiserver").current.cert, mine.cert);
  assert.ok(errors.length > 0);
  writeFileSync(tls.tlsCert, next.cert);
  await clock.advance(60_000);
  assert.equal(certificates.pair("apiserver").current.cert, next.cert);
  certificates[Symbol.dispose]();

  const signing = { clusterSigningCert: file("ca.crt"), clusterSigningKey: file("ca.key") };
  const signed = setUp({ store, clock, files: signing });
  assert.deepEqual(signed.certificates.authority.current, another);
  assert.ok(isSignedBy(signed.certificates.pair("apiserver").current, another));
  const other = keepAuthority(pemMemory(), "ca", clock.now());
  writeFileSync(signing.clusterSigningKey, other.key ?? "");
  writeFileSync(signing.clusterSigningCert, other.cert);
  await clock.advance(60_000);
  assert.deepEqual(signed.certificates.authority.current, other);
  assert.ok(isSignedBy(signed.certificates.pair("admin").current, other));
  signed.certificates[Symbol.dispose]();
});

for (const { name, files, message } of [
  {
    name: "a key without its certificate",
    files: { clusterSigningKey: "k" },
    message: "--cluster-signing-key-file needs --cluster-signing-cert-file",
  },
  { name: "a certificate without its key", files: { tlsCert: "c" }, message: "--tls-cert-file and --tls-private-key-file go together" },
  {
    name: "a file that is not there",
    files: { clusterSigningCert: "/nowhere" },
    message: "cannot read --cluster-signing-cert-file: ENOENT: no such file or directory, open '/nowhere'",
  },
])
  test(`refuses ${name}`, () => assert.throws(() => setUp({ files }), { name: "StartError", message }));
