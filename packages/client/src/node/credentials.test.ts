import assert from "node:assert/strict";
import { mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ManualClock, systemClock } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import type { ExecConfig, KubeconfigCluster } from "../kubeconfig/kubeconfig.ts";
import { execCredentials } from "./exec-credentials.ts";
import { fileCredentials } from "./file-credentials.ts";
import { inClusterKubeconfig } from "./in-cluster.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";
import { renewedCredentials } from "./renewed-credentials.ts";

async function directory(files: Readonly<Record<string, string>> = {}) {
  const path = await mkdtemp(join(tmpdir(), "coxswain-client-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test("a token from a file is read again after a minute, and when it was refused", async () => {
  await using files = await directory({ token: "one\n" });
  const tokenFile = join(files.path, "token");
  const clock = new ManualClock();
  const credentials = fileCredentials({ tokenFile }, clock);
  const first = await credentials.current();
  assert.equal(first.authorization, "Bearer one");
  await writeFile(tokenFile, "two");
  assert.equal(await credentials.current(), first);
  clock.advance(60_000);
  const second = await credentials.current();
  assert.equal(second.authorization, "Bearer two");
  await writeFile(tokenFile, "three");
  await credentials.renew?.(first);
  assert.equal(await credentials.current(), second, "another process has renewed it already");
  await credentials.renew?.(second);
  assert.equal((await credentials.current()).authorization, "Bearer three");
});

test("a file that cannot be read: an error, or the token that stands beside it", async () => {
  await using files = await directory({ empty: " " });
  for (const [name, message] of [
    ["absent", /^Error: ENOENT: no such file or directory/],
    ["empty", /^Error: read empty token from file /],
  ] as const) {
    const tokenFile = join(files.path, name);
    await assert.rejects(fileCredentials({ tokenFile }, systemClock).current(), message);
    assert.equal((await fileCredentials({ tokenFile, authorization: "Bearer x" }, systemClock).current()).authorization, "Bearer x");
  }
});

test("a certificate that reads the same stays the same, also when the token beside it changes", async () => {
  await using files = await directory({ token: "one" });
  const clock = new ManualClock();
  let pem = "a";
  const certificate = { cert: () => Promise.resolve(pem), key: () => Promise.resolve(`${pem} key`) };
  const credentials = fileCredentials({ certificate, tokenFile: join(files.path, "token") }, clock);
  const first = await credentials.current();
  clock.advance(60_000);
  assert.equal(await credentials.current(), first);
  await writeFile(join(files.path, "token"), "two");
  clock.advance(60_000);
  const second = await credentials.current();
  assert.equal(second.authorization, "Bearer two");
  assert.equal(second.certificate, first.certificate);
  pem = "b";
  clock.advance(60_000);
  assert.deepEqual((await credentials.current()).certificate, { cert: "b", key: "b key" });
});

test("those who ask at once wait for one answer; who gives up does not end it for the others", async () => {
  let asked = 0;
  const answer = Promise.withResolvers<void>();
  const credentials = renewedCredentials(new ManualClock(), async () => {
    asked++;
    await answer.promise;
    return { credential: { authorization: "x" } };
  });
  const stop = new AbortController();
  const impatient = credentials.current({ signal: stop.signal });
  const waiting = credentials.current();
  stop.abort(new Error("enough"));
  await assert.rejects(impatient, { message: "enough" });
  answer.resolve();
  assert.equal((await waiting).authorization, "x");
  assert.equal(asked, 1);
});

const cluster: KubeconfigCluster = {
  server: "https://home:6443",
  tlsServerName: "kubernetes",
  insecureSkipTlsVerify: false,
  certificateAuthority: "",
  certificateAuthorityData: undefined,
  proxyUrl: "",
  disableCompression: false,
  execConfig: { audience: "x" },
};
const apiVersion = "client.authentication.k8s.io/v1";
const plugin = (script: string, more: Partial<ExecConfig> = {}): ExecConfig => ({
  command: process.execPath,
  args: ["-e", script],
  env: [{ name: "OWN", value: "of the plugin" }],
  apiVersion,
  installHint: "",
  provideClusterInfo: false,
  interactiveMode: "IfAvailable",
  ...more,
});
const printing = (value: unknown): string => `console.log(${JSON.stringify(JSON.stringify(value))})`;
const around = { clock: systemClock, env: { PATH: process.env.PATH, FROM: "outside" }, terminal: false };
const kind = "ExecCredential";

test("a plugin gets the cluster information that it may have, and its token is kept until it expires or is rejected", async () => {
  await using files = await directory({ count: "0" });
  const script = `
    const fs = require("node:fs"), n = Number(fs.readFileSync("${files.path}/count")) + 1;
    fs.writeFileSync("${files.path}/count", String(n));
    const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
    const token = [n, process.env.OWN, process.env.FROM, JSON.stringify(spec)].join("|");
    console.log(JSON.stringify({ kind: "${kind}", apiVersion: "${apiVersion}", status: { token, expirationTimestamp: "2026-01-01T00:10:00Z" } }));`;
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const authority = () => Promise.resolve("pem");
  const credentials = execCredentials(plugin(script, { provideClusterInfo: true }), cluster, { ...around, clock, authority });
  const first = await credentials.current();
  const spec = {
    cluster: {
      server: "https://home:6443",
      "tls-server-name": "kubernetes",
      "certificate-authority-data": "cGVt",
      config: { audience: "x" },
    },
    interactive: false,
  };
  assert.equal(first.authorization, `Bearer 1|of the plugin|outside|${JSON.stringify(spec)}`);
  clock.advance(9 * 60_000);
  assert.equal(await credentials.current(), first);
  clock.advance(60_000);
  const second = await credentials.current();
  assert.match(second.authorization ?? "", /^Bearer 2\|/);
  await credentials.renew?.(second);
  assert.equal(clock.waiting, 0);
});

test("a plugin may give a certificate", async () => {
  const status = { clientCertificateData: "cert", clientKeyData: "key" };
  const credentials = execCredentials(plugin(printing({ kind, apiVersion, status })), cluster, around);
  assert.deepEqual(await credentials.current(), { authorization: undefined, certificate: { cert: "cert", key: "key" } });
});

const failures: readonly { name: string; exec: ExecConfig; message: RegExp }[] = [
  { name: "fails", exec: plugin("console.error('not logged in'); process.exit(3)"), message: /failed with exit code 3: not logged in$/ },
  {
    name: "is not there",
    exec: plugin("", { command: "no-such-plugin", installHint: "Get it\u001b[2J" }),
    message: /executable no-such-plugin not found[\s\S]*Get it\^\[\[2J$/,
  },
  { name: "prints no JSON", exec: plugin("console.log('hello')"), message: /decoding stdout/ },
  { name: "prints too much", exec: plugin("for(;;) require('node:fs').writeSync(1, 'x'.repeat(65536))"), message: /prints too much/ },
  {
    name: "speaks another version",
    exec: plugin(printing({ kind, apiVersion: "client.authentication.k8s.io/v1beta1" })),
    message:
      /configured to use API version client.authentication.k8s.io\/v1, plugin returned version client.authentication.k8s.io\/v1beta1/,
  },
  { name: "prints no status", exec: plugin(printing({ kind, apiVersion })), message: /didn't return a status field/ },
  {
    name: "prints neither token nor certificate",
    exec: plugin(printing({ kind, apiVersion, status: {} })),
    message: /didn't return a token or cert\/key pair/,
  },
  {
    name: "prints a certificate without its key",
    exec: plugin(printing({ kind, apiVersion, status: { clientKeyData: "x" } })),
    message: /only certificate or key, not both/,
  },
  { name: "needs a person", exec: plugin("", { interactiveMode: "Always" }), message: /standard input is not a terminal/ },
];
for (const { name, exec, message } of failures) {
  test(`a plugin that ${name}`, async () => {
    await assert.rejects(execCredentials(exec, cluster, around).current(), { name: "KubeconfigError", message });
  });
}

test("a plugin that hangs is ended after a minute", async () => {
  const clock = new ManualClock();
  const asked = assert.rejects(
    execCredentials(plugin("setInterval(() => {}, 1000)"), cluster, { ...around, clock }).current(),
    /within 60 s/,
  );
  await waitUntil("the plugin's timer", () => clock.waiting > 0);
  clock.advance(60_000);
  await asked;
});

test("the account of a Pod", async () => {
  await using files = await directory({ token: "t", "ca.crt": "pem", namespace: "web\n" });
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  const config = await inClusterKubeconfig({ env, directory: files.path });
  assert.equal(config?.clusters.get("in-cluster")?.server, "https://[fd00::1]:443");
  assert.equal(config?.clusters.get("in-cluster")?.certificateAuthority, join(files.path, "ca.crt"));
  assert.equal(config?.users.get("in-cluster")?.tokenFile, join(files.path, "token"));
  assert.equal(config?.contexts.get("in-cluster")?.namespace, "web");
  assert.equal(await inClusterKubeconfig({ env: {}, directory: files.path }), undefined);
  await unlink(join(files.path, "token"));
  assert.equal(await inClusterKubeconfig({ env, directory: files.path }), undefined);
});

test("the files of KUBECONFIG, those that are there; else the one at home", async () => {
  const of = (name: string): string => `{current-context: ${name}, users: [{name: ${name}, user: {tokenFile: token}}]}`;
  await using a = await directory({ config: of("a") });
  await using b = await directory({ config: of("b") });
  const KUBECONFIG = ["", join(a.path, "absent"), join(b.path, "config"), join(a.path, "config"), join(b.path, "config")].join(":");
  const merged = await loadKubeconfig({ env: { KUBECONFIG } });
  assert.equal(merged.currentContext, "b");
  assert.equal(merged.users.get("a")?.tokenFile, join(a.path, "token"));
  assert.equal(merged.users.get("b")?.tokenFile, join(b.path, "token"));
  await assert.rejects(loadKubeconfig({ env: { HOME: a.path } }), /no configuration has been provided/);
  await assert.rejects(loadKubeconfig({ paths: [join(a.path, "absent")] }), /cannot read the kubeconfig: ENOENT/);
});
