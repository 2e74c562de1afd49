import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { kubeconfig, writeKubeconfig } from "./kubeconfig.ts";
import { administrator, fingerprint } from "./users.ts";

const facts = { server: "https://127.0.0.1:6443", authority: "PEM", token: "secret" };

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "coxswain-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

test("kubeconfig: only its owner may read it, and nothing else is left behind", (t) => {
  const dir = folder(t);
  writeKubeconfig(join(dir, "a", "config"), facts);
  assert.equal(readFileSync(join(dir, "a", "config"), "utf8"), kubeconfig(facts));
  assert.equal(statSync(join(dir, "a", "config")).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(dir, "a")), ["config"]);
});

test("kubeconfig: embeds the authority and the token", () => {
  assert.match(kubeconfig(facts), /server: https:\/\/127\.0\.0\.1:6443\n {4}certificate-authority-data: UEVN\n/);
  assert.match(kubeconfig(facts), /token: secret\n/);
});

test("kubeconfig: has the certificate beside the token", () => {
  const text = kubeconfig({ ...facts, certificate: { cert: "CERT", key: "KEY" } });
  assert.match(text, /user:\n {4}client-certificate-data: Q0VSVA==\n {4}client-key-data: S0VZ\n {4}token: secret\ncontexts:/);
});

test("administrator: the token is random, private, and kept", (t) => {
  const path = join(folder(t), "admin-token");
  const { token } = administrator(path);
  assert.match(token, /^[\w-]{43}$/);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(administrator(path).token, token);
  assert.notEqual(administrator(undefined).token, token);
  assert.ok(!fingerprint(token).includes(token.slice(0, 8)));
});
