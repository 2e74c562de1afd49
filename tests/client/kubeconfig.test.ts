/** From a kubeconfig to a client of a real server. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isUnauthorized } from "@coxswain/client";
import { clientFromKubeconfig, type KubeconfigClientOptions } from "@coxswain/client/node";
import { parseJson } from "@coxswain/machinery";
import { startCluster } from "coxswain/testing";
import { type Serving, serve, trusted } from "./transport-server.ts";

async function directory() {
  const path = await mkdtemp(join(tmpdir(), "coxswain-client-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const data = (text: string): string => Buffer.from(text).toString("base64");

/** Files for one cluster and a user, in a directory of their own. */
async function userFile(path: string, server: Serving, user: object): Promise<KubeconfigClientOptions> {
  const cluster = { server: server.url, "certificate-authority-data": data(trusted.cert) };
  const context = { cluster: "c", user: "u", namespace: "web" };
  const config = {
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context }],
    "current-context": "x",
  };
  await writeFile(join(path, "config"), JSON.stringify(config));
  return { env: { KUBECONFIG: join(path, "config"), PATH: process.env.PATH } };
}

async function userOf(options: KubeconfigClientOptions): Promise<string | undefined> {
  await using client = await clientFromKubeconfig(options);
  assert.equal(client.namespace, "web");
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const headers = { "content-type": "application/json", accept: "application/json" };
  const answer = await client.request({ method: "POST", path, headers, body: Buffer.from("{}") });
  return (parseJson(await answer.bytes()) as { status: { userInfo: { username: string } } }).status.userInfo.username;
}

test("the kubeconfig of a running cluster is enough", async () => {
  await using cluster = await startCluster();
  const { kubeconfig } = await cluster.listen();
  await using client = await clientFromKubeconfig({ paths: [kubeconfig] });
  const ref = await client.refOf({ apiVersion: "v1", kind: "Namespace" });
  assert.equal((await client.resource(ref).get("default")).metadata?.name, "default");
});

const jane = trusted.clientNamed("jane");
const apiVersion = "client.authentication.k8s.io/v1";
const plugin = (status: object) => ({
  apiVersion,
  command: process.execPath,
  args: ["-e", `console.log(${JSON.stringify(JSON.stringify({ kind: "ExecCredential", apiVersion, status }))})`],
  interactiveMode: "Never",
});
const users: readonly { name: string; user: object; expect: string }[] = [
  { name: "a token", user: { token: "admin" }, expect: "admin" },
  { name: "a token in a file beside it", user: { tokenFile: "token" }, expect: "admin" },
  { name: "a certificate", user: { "client-certificate-data": data(jane.cert), "client-key-data": data(jane.key) }, expect: "jane" },
  { name: "a certificate in files beside it", user: { "client-certificate": "jane.crt", "client-key": "jane.key" }, expect: "jane" },
  { name: "a plugin that gives a token", user: { exec: plugin({ token: "admin" }) }, expect: "admin" },
  {
    name: "a plugin that gives a certificate",
    user: { exec: plugin({ clientCertificateData: jane.cert, clientKeyData: jane.key }) },
    expect: "jane",
  },
  { name: "nothing", user: {}, expect: "system:anonymous" },
];
for (const { name, user, expect } of users) {
  test(`a user with ${name}`, async () => {
    await using server = await serve();
    await using files = await directory();
    await writeFile(join(files.path, "token"), "admin\n");
    await writeFile(join(files.path, "jane.crt"), jane.cert);
    await writeFile(join(files.path, "jane.key"), jane.key);
    assert.equal(await userOf(await userFile(files.path, server, user)), expect);
  });
}

test("a token in a file that is replaced meanwhile", async () => {
  await using server = await serve({ tokens: ["one"] });
  await using files = await directory();
  const token = join(files.path, "token");
  await writeFile(token, "zero");
  await using client = await clientFromKubeconfig(await userFile(files.path, server, { tokenFile: "token" }));
  const ask = () => client.request({ method: "GET", path: "/api/v1/namespaces", headers: {} });
  await assert.rejects(ask(), isUnauthorized);
  await writeFile(token, "one");
  (await ask()).cancel();
});

test("a process ends by itself although its client keeps a connection", async () => {
  await using server = await serve();
  await using files = await directory();
  const { env } = await userFile(files.path, server, { token: "admin" });
  const program = `
    import { clientFromKubeconfig } from "@coxswain/client/node";
    const client = await clientFromKubeconfig();
    const answer = await client.request({ method: "GET", path: "/version", headers: {} });
    await answer.bytes();
    process.stdout.write(String(answer.status));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...process.env, ...env },
    cwd: import.meta.dirname,
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.pipe(process.stderr);
  assert.deepEqual(await once(child, "close"), [0, null]);
  assert.equal(output, "200");
});
