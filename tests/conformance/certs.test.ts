/** `coxswain certs` beside a server that runs, and what its clients see of it: openssl, kubectl and connections that are open. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { type CommandUnderTest, mainFile, startCommand } from "./command-under-test.ts";
import { chosenKubectls, runKubectl } from "./kubectl/kubectl.ts";
import { hasOpenssl, opensslAuthority, opensslCertificate } from "./openssl.ts";

const [kubectl] = chosenKubectls();
const skip = kubectl === undefined ? "no kubectl" : hasOpenssl() ? false : "no openssl";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "coxswain-certs-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function coxswain(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [mainFile, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const text = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (text.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (text.stderr += chunk.toString()));
    child.once("close", (code) => resolve({ code, ...text }));
  });
}

async function ask({ kubeconfig }: CommandUnderTest, ...args: readonly string[]): Promise<string> {
  assert.ok(kubectl);
  const { code, stdout, stderr } = await runKubectl(kubectl, args, { KUBECONFIG: kubeconfig });
  assert.equal(code, 0, stderr);
  return stdout;
}

/** What `openssl s_client` is shown. */
function servedSerial({ server }: CommandUnderTest): string {
  const { host } = new URL(server);
  const shown = execFileSync("openssl", ["s_client", "-connect", host], { input: "", stdio: ["pipe", "pipe", "ignore"] });
  return execFileSync("openssl", ["x509", "-noout", "-serial"], { input: shown, encoding: "utf8" }).trim();
}

const serialOf = (pem: string): string => `serial=${new X509Certificate(pem).serialNumber}`;
const certificateIn = (kubeconfig: string): string =>
  Buffer.from(/client-certificate-data: (\S+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "", "base64").toString();

test("certificates are renewed beside a server that runs, and nobody has to do anything", { skip, timeout: hangMs }, async (t) => {
  const dataDir = folder(t);
  const command = await startCommand("--data-dir", dataDir, "--runtime=simulated", "--node-name=one");
  t.after(() => command.stop());
  const file = (name: string): string => readFileSync(join(dataDir, "pki", name), "utf8");
  const before = {
    serving: servedSerial(command),
    admin: certificateIn(command.kubeconfig),
    kubelet: file("apiserver-kubelet-client.crt"),
  };
  assert.equal(before.serving, serialOf(file("apiserver.crt")));
  await waitUntil("the node", async () => (await ask(command, "get", "nodes")).includes(" Ready "));

  const session = connectHttp2(command.server, { rejectUnauthorized: false });
  t.after(() => session.destroy());
  const watched = session.request({
    ":path": "/api/v1/namespaces/default/configmaps?watch=1",
    authorization: `Bearer ${command.token}`,
  });
  let events = "";
  watched.on("data", (chunk: Buffer) => (events += chunk.toString()));
  await waitUntil("the watch", () => events !== "");

  const { code, stdout, stderr } = await coxswain("certs", "renew", "all", "--data-dir", dataDir);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^(renewed \S+, until \w{3} \d\d, \d{4} \d\d:\d\d UTC\n){4}$/);
  await waitUntil("the next certificate on the same port", () => servedSerial(command) === serialOf(file("apiserver.crt")));
  assert.notEqual(servedSerial(command), before.serving);
  await waitUntil("the next kubeconfig", () => certificateIn(command.kubeconfig) === file("admin.crt"));
  assert.notEqual(certificateIn(command.kubeconfig), before.admin);
  assert.notEqual(file("apiserver-kubelet-client.crt"), before.kubelet);

  const fingerprint = new X509Certificate(file("admin.crt")).fingerprint256.replaceAll(":", "").toLowerCase();
  assert.match(await ask(command, "auth", "whoami", "--output=json"), new RegExp(`X509SHA256=${fingerprint}`));
  await ask(command, "create", "configmap", "after-renewal");
  await waitUntil("an event on the connection of before", () => events.includes("after-renewal"));
  assert.equal(await ask(command, "get", "--raw", "/api/v1/nodes/one/proxy/healthz"), "ok");
});

test("the list has the form of kubeadm's", { skip, timeout: hangMs }, async (t) => {
  const dataDir = folder(t);
  const command = await startCommand("--data-dir", dataDir);
  await command.stop();
  const { stdout } = await coxswain("certs", "list", "--data-dir", dataDir);
  const shape = stdout.replaceAll(/\w{3} \d\d, \d{4} \d\d:\d\d UTC/g, "DATE").replaceAll(/ {2,}/g, "  ");
  assert.equal(
    shape,
    `CERTIFICATE  EXPIRES  RESIDUAL TIME  CERTIFICATE AUTHORITY  EXTERNALLY MANAGED
admin  DATE  364d  ca  no
apiserver  DATE  364d  ca  no
apiserver-kubelet-client  DATE  364d  ca  no
front-proxy-client  DATE  364d  front-proxy-ca  no

CERTIFICATE AUTHORITY  EXPIRES  RESIDUAL TIME  EXTERNALLY MANAGED
ca  DATE  9y  no
front-proxy-ca  DATE  9y  no
`,
  );
  const report = JSON.parse((await coxswain("certs", "list", "--data-dir", dataDir, "-o", "json")).stdout);
  assert.deepEqual(Object.keys(report), ["certificates", "certificateAuthorities"]);
  assert.deepEqual([report.certificates[0].name, report.certificates[0].caName, report.certificates[0].missing], ["admin", "ca", false]);
});

test("where the key of the authority is elsewhere, nothing is renewed here, and the server goes on", {
  skip,
  timeout: hangMs,
}, async (t) => {
  const dataDir = folder(t);
  const pki = (name: string): string => join(dataDir, "pki", name);
  await (await startCommand("--data-dir", dataDir)).stop();
  renameSync(pki("ca.key"), join(folder(t), "ca.key"));
  const command = await startCommand("--data-dir", dataDir);
  t.after(() => command.stop());
  const before = readFileSync(pki("apiserver.crt"), "utf8");
  const refused = await coxswain("certs", "renew", "apiserver", "--data-dir", dataDir);
  assert.deepEqual(
    [refused.code, refused.stdout, refused.stderr],
    [
      1,
      "",
      "coxswain: the certificate apiserver cannot be renewed: its authority ca is externally managed, the key of which is not here\n",
    ],
  );
  assert.equal(readFileSync(pki("apiserver.crt"), "utf8"), before);
  const all = await coxswain("certs", "renew", "all", "--data-dir", dataDir);
  assert.equal(all.code, 1);
  assert.match(all.stdout, /^renewed front-proxy-client, until .*\n$/);
  assert.match((await coxswain("certs", "list", "--data-dir", dataDir)).stdout, /^ca {2,}.* yes$/m);
  await ask(command, "get", "namespaces");
});

test("an authority and a serving certificate of one's own, made by openssl, are used and followed", {
  skip,
  timeout: hangMs,
}, async (t) => {
  const [dataDir, own] = [folder(t), folder(t)];
  const authority = opensslAuthority(own, "company");
  const names = "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth";
  const serving = opensslCertificate(own, "serving", authority, { subject: "/O=Company/CN=api", extensions: names });
  const signing = ["--cluster-signing-cert-file", authority.certFile, "--cluster-signing-key-file", authority.keyFile];
  const tls = ["--tls-cert-file", serving.certFile, "--tls-private-key-file", serving.keyFile];
  const command = await startCommand("--data-dir", dataDir, ...signing, ...tls);
  t.after(() => command.stop());
  assert.equal(servedSerial(command), serialOf(serving.cert));
  const admin = new X509Certificate(certificateIn(command.kubeconfig));
  assert.ok(admin.checkIssued(new X509Certificate(authority.cert)) && admin.verify(new X509Certificate(authority.cert).publicKey));
  execFileSync("openssl", ["verify", "-CAfile", authority.certFile], { input: admin.toString(), stdio: "pipe" });
  assert.match(await ask(command, "auth", "whoami"), /system:masters/);
  const next = opensslCertificate(own, "serving", authority, { subject: "/O=Company/CN=api", extensions: names });
  await waitUntil("the next certificate", () => servedSerial(command) === serialOf(next.cert));
  await ask(command, "get", "namespaces");
  const listed = (await coxswain("certs", "list", "--data-dir", dataDir, ...signing, ...tls)).stdout;
  assert.match(listed, /^apiserver {2,}.* yes$/m);
  const refused = await coxswain("certs", "renew", "apiserver", "--data-dir", dataDir, ...signing, ...tls);
  assert.match(refused.stderr, /cannot be renewed: it is externally managed, in the file of --tls-cert-file/);
  assert.equal((await coxswain("certs", "renew", "admin", "--data-dir", dataDir, ...signing)).code, 0);
  await waitUntil("a kubeconfig of that authority", () => certificateIn(command.kubeconfig) !== admin.toString());
  await ask(command, "get", "namespaces");
});
