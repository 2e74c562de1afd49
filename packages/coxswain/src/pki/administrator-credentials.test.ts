import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { dayMs } from "@coxswain/pki/node";
import { pemMemory } from "../access/private-file.ts";
import { administratorCredentials } from "./administrator-credentials.ts";
import { servingCredentials } from "./credentials.ts";

const now = Date.UTC(2026, 0, 1);
const admin = { name: "root", groups: ["system:masters"] };

function authority() {
  const { authority: cert, authorityKey: key } = servingCredentials(pemMemory(), { dns: [], ip: [] }, now);
  return { cert, key };
}

test("the administrator's certificate has name and group, and the kind of its key can be read from its PEM", () => {
  const by = authority();
  const { cert, key } = administratorCredentials(pemMemory(), by, admin, now);
  const certificate = new X509Certificate(cert);
  assert.ok(certificate.verify(new X509Certificate(by.cert).publicKey));
  assert.match(certificate.subject, /O=system:masters/);
  assert.match(certificate.subject, /CN=root/);
  assert.match(key, /^-----BEGIN EC PRIVATE KEY-----/);
});

const kept = [
  { name: "is kept", change: {}, isKept: true },
  { name: "is issued again shortly before it ends", change: { now: now + 340 * dayMs }, isKept: false },
  { name: "is issued again for another authority", change: { by: authority() }, isKept: false },
  { name: "is issued again when it is damaged", change: { damaged: true }, isKept: false },
];
for (const { name, change, isKept } of kept)
  test(`the administrator's certificate ${name}`, () => {
    const [store, by] = [pemMemory(), authority()];
    const first = administratorCredentials(store, by, admin, now);
    if (change.damaged) store.write("admin.key", "no key");
    const second = administratorCredentials(store, change.by ?? by, admin, change.now ?? now);
    assert.equal(second.cert === first.cert, isKept);
  });
