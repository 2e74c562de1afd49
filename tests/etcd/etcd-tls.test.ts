/** What is said of certificates of etcd's members and of the server that do not fit, and what becomes of renewed ones. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { GrpcTls } from "@coxswain/grpc";
import { type Clock, systemClock, systemRandom } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import type { KeyPair } from "@coxswain/pki/node";
import { openEtcdStore } from "@coxswain/store/etcd";
import { startCommand } from "../conformance/command-under-test.ts";
import { whyNoEtcd } from "../etcd-server.ts";
import { proxyTo } from "../tcp-proxy.ts";
import { kubectl } from "./kube-apiserver.ts";
import { authority, clientPair, type SecuredEtcd, serverPair, startSecuredEtcd } from "./secured-etcd.ts";

const yearsMs = (years: number): number => years * 366 * 24 * 3_600_000;

suite("etcd with TLS", { skip: whyNoEtcd() ?? false }, () => {
  const [ca, otherCa] = [authority("etcd-ca"), authority("other-ca")];
  const client = clientPair(ca, "coxswain");
  let etcd: SecuredEtcd;
  let expired: SecuredEtcd;
  let unnamed: SecuredEtcd;
  before(async () => {
    [etcd, expired, unnamed] = await Promise.all([
      startSecuredEtcd(serverPair(ca), ca),
      startSecuredEtcd(serverPair(ca, undefined, Date.now() - yearsMs(2)), ca),
      startSecuredEtcd(serverPair(ca, { dns: ["etcd.example.com"], ip: ["192.0.2.1"] }), ca),
    ]);
  });
  after(async () => {
    for (const one of [etcd, expired, unnamed]) await one[Symbol.asyncDispose]();
  });

  const open = (url: string, tls: GrpcTls, clock = systemClock) => openEtcdStore({ servers: [url], tls, clock, random: systemRandom });
  const handshake = (why: string) => `failed to read etcd: connection error: desc = "transport: authentication handshake failed: ${why}"`;
  const unverified = (why: string) => handshake(`tls: failed to verify certificate: x509: ${why}`);

  test("is used with certificates that fit, by address and by name", async () => {
    for (const url of [etcd.url, etcd.url.replace("127.0.0.1", "localhost")]) {
      await using store = await open(url, { ca: ca.cert, ...client });
      assert.ok(store.revision > 0);
    }
  });

  const refusals: readonly {
    readonly name: string;
    readonly of: () => SecuredEtcd;
    readonly tls: GrpcTls;
    readonly says: string | RegExp;
  }[] = [
    {
      name: "members that another authority has signed",
      of: () => etcd,
      tls: { ca: otherCa.cert, ...client },
      says: unverified("certificate signed by unknown authority"),
    },
    {
      name: "members whose certificate has ended",
      of: () => expired,
      tls: { ca: ca.cert, ...client },
      says: unverified("certificate has expired or is not yet valid"),
    },
    {
      name: "members whose certificate is for another address",
      of: () => unnamed,
      tls: { ca: ca.cert, ...client },
      says: unverified("certificate is valid for 192.0.2.1, not 127.0.0.1"),
    },
    {
      name: "members whose certificate is for another name",
      of: () => unnamed,
      tls: { ca: ca.cert, ...client, serverName: "localhost" },
      says: unverified("certificate is valid for etcd.example.com, not localhost"),
    },
    {
      name: "a server without a certificate",
      of: () => etcd,
      tls: { ca: ca.cert },
      says: /remote error: tls: (?:certificate required|bad certificate)/,
    },
    {
      name: "a server whose certificate another authority has signed",
      of: () => etcd,
      tls: { ca: ca.cert, ...clientPair(otherCa, "coxswain") },
      says: /remote error: tls: (?:bad certificate|unknown certificate authority)/,
    },
    {
      name: "a server whose certificate has ended",
      of: () => etcd,
      tls: { ca: ca.cert, ...clientPair(ca, "coxswain", Date.now() - yearsMs(2)) },
      says: /remote error: tls: (?:bad certificate|expired certificate)/,
    },
    {
      name: "a server whose key is another's",
      of: () => etcd,
      tls: { ca: ca.cert, cert: client.cert, key: clientPair(ca, "coxswain").key },
      says: /key values mismatch/,
    },
    {
      name: "what is no certificate",
      of: () => etcd,
      tls: { ca: ca.cert, cert: "none", key: client.key },
      says: /connection error: desc = ".*PEM/,
    },
  ];
  for (const { name, of, tls, says } of refusals)
    test(`refuses ${name}, and says so at once`, async () => {
      let pauses = 0;
      const clock: Clock = {
        ...systemClock,
        schedule(afterMs, fn) {
          if (afterMs === 100) pauses++;
          return systemClock.schedule(afterMs, fn);
        },
      };
      await assert.rejects(open(of().url, tls, clock), { name: "StorageError", message: says });
      assert.equal(pauses, 0, "it is not tried again");
    });

  test("uses renewed files with the next connection, and says which cannot be read at its start", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "coxswain-tls-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const write = ({ cert, key }: KeyPair): void => {
      writeFileSync(join(folder, "client.crt"), cert);
      writeFileSync(join(folder, "client.key"), key);
    };
    writeFileSync(join(folder, "ca.crt"), ca.cert);
    write(client);
    await using proxy = await proxyTo(etcd.url);
    const flags = ["--ephemeral", `--etcd-servers=${proxy.url.replace("http:", "https:")}`, `--etcd-cafile=${folder}/ca.crt`];
    const own = [`--etcd-certfile=${folder}/client.crt`, `--etcd-keyfile=${folder}/client.key`];
    await assert.rejects(startCommand(...flags, `--etcd-certfile=${folder}/none.crt`), /ended with 1:\ncoxswain: .*none\.crt/);
    const server = await startCommand(...flags, ...own);
    t.after(() => server.stop());
    const health = () => kubectl(server, "get", "--raw", "/healthz/etcd").then(String, String);
    assert.equal(await health(), "ok");
    write(clientPair(otherCa, "coxswain"));
    proxy.cut();
    await waitUntil("the new certificate is refused", async () => (await health()) !== "ok");
    write(clientPair(ca, "coxswain"));
    await waitUntil("the renewed certificate is used", async () => (await health()) === "ok");
    assert.match(await kubectl(server, "create", "configmap", "after", "-n", "default"), /created/);
  });
});
