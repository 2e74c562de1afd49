import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { connect, createServer, type TLSSocket } from "node:tls";
import { servingCredentials } from "./credentials.ts";
import type { PemStore } from "./pem-store.ts";
import { servedNames } from "./served-names.ts";

const now = Date.UTC(2026, 0, 1);
const dayMs = 24 * 60 * 60 * 1000;
const names = { dns: ["localhost", "kubernetes.default.svc"], ip: ["127.0.0.1", "::1"] };

function memory(): PemStore & { readonly files: Map<string, string> } {
  const files = new Map<string, string>();
  return { files, read: (name) => files.get(name), write: (name, pem) => files.set(name, pem) };
}

test("credentials: a client that trusts the authority gets through to every name", async () => {
  const { authority, cert, key } = servingCredentials(memory(), names, Date.now());
  const server = createServer({ cert, key }, (socket) => socket.end("hello"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  for (const servername of names.dns) {
    const socket: TLSSocket = connect({ port: address.port, host: "127.0.0.1", ca: authority, servername });
    await once(socket, "secureConnect");
    assert.equal(socket.authorized, true);
    socket.destroy();
  }
  server.close();
});

test("credentials: the certificates say what they are for", () => {
  const { authority, cert } = servingCredentials(memory(), names, now);
  const ca = new X509Certificate(authority);
  const serving = new X509Certificate(cert);
  assert.equal(ca.ca, true);
  assert.equal(serving.ca, false);
  assert.equal(ca.verify(ca.publicKey), true);
  assert.equal(serving.verify(ca.publicKey), true);
  assert.equal(serving.checkIssued(ca), true);
  assert.equal(serving.subjectAltName, "DNS:localhost, DNS:kubernetes.default.svc, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1");
  assert.deepEqual(serving.keyUsage, ["1.3.6.1.5.5.7.3.1"]);
  assert.equal(Date.parse(serving.validTo), now + 365 * dayMs);
  assert.equal(Date.parse(ca.validTo), now + 3650 * dayMs);
});

const restarts = [
  { name: "keeps both when nothing changed", later: dayMs, authority: "kept", serving: "kept" },
  { name: "renews the serving certificate in its last month", later: 336 * dayMs, authority: "kept", serving: "made" },
  { name: "renews the serving certificate when it listens elsewhere", later: 0, ip: ["10.0.0.9"], authority: "kept", serving: "made" },
  { name: "renews both in the authority's last month", later: 3625 * dayMs, authority: "made", serving: "made" },
  { name: "replaces a damaged serving certificate", later: 0, damage: "apiserver.crt", authority: "kept", serving: "made" },
  { name: "replaces a damaged serving key", later: 0, damage: "apiserver.key", authority: "kept", serving: "made" },
  { name: "replaces a damaged authority", later: 0, damage: "ca.key", authority: "made", serving: "made" },
];
for (const { name, later, ip = [], damage, authority, serving } of restarts) {
  test(`credentials: a restart ${name}`, () => {
    const store = memory();
    const before = servingCredentials(store, names, now);
    if (damage !== undefined) store.files.set(damage, "damaged");
    const after = servingCredentials(store, { ...names, ip: [...names.ip, ...ip] }, now + later);
    assert.equal(after.authority === before.authority ? "kept" : "made", authority);
    assert.equal(after.cert === before.cert ? "kept" : "made", serving);
  });
}

const machine = { hostname: "Box", addresses: ["10.0.0.9", "fd00::9"], serviceIp: "10.96.0.1" };
const listening = [
  { address: "127.0.0.1", ip: ["127.0.0.1", "::1", "10.96.0.1"] },
  { address: "10.0.0.9", ip: ["127.0.0.1", "::1", "10.96.0.1", "10.0.0.9"] },
  { address: "0.0.0.0", ip: ["127.0.0.1", "::1", "10.96.0.1", "10.0.0.9", "fd00::9"] },
];
for (const { address, ip } of listening) {
  test(`served names: listening on ${address}`, () => {
    const served = servedNames({ address, ...machine });
    assert.deepEqual(served.ip, ip);
    assert.ok(served.dns.includes("box"));
  });
}
