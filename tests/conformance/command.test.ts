/** The command from the outside: what it leaves behind, how it ends, and what it says when it cannot start. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { etcdOptions } from "../store-options.ts";
import { mainFile, startCommand } from "./command-under-test.ts";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Runs the command until it ends by itself. */
function attempt(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [mainFile, ...args], { timeout: hangMs }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

interface Client {
  readonly server: string;
  readonly token: string;
  readonly ca: string;
}

function clientOf(kubeconfig: string): Client {
  const text = readFileSync(kubeconfig, "utf8");
  const field = (name: string): string => new RegExp(`${name}: (\\S+)`).exec(text)?.[1] ?? "";
  return { server: field("server"), token: field("token"), ca: Buffer.from(field("certificate-authority-data"), "base64").toString() };
}

async function ask(client: Client, method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const response = await open(client, method, path, body);
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode ?? 0, text };
}

async function open({ server, token, ca }: Client, method: string, path: string, body?: object): Promise<IncomingMessage> {
  const outgoing = request(server + path, {
    method,
    ca,
    agent: false,
    headers: { ...(token === "" ? {} : { authorization: `Bearer ${token}` }), "content-type": "application/json" },
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return response;
}

const configMaps = "/api/v1/namespaces/default/configmaps";

test("what was written is there after a restart, under the same certificate and token", async (t) => {
  const dir = join(folder(t), "data");
  const first = await startCommand("--data-dir", dir);
  t.after(() => first.stop());
  const before = clientOf(first.kubeconfig);
  const created = await ask(before, "POST", configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kept" } });
  assert.equal(created.status, 201);
  assert.equal(await first.stop(), 0);

  const second = await startCommand("--data-dir", dir);
  t.after(() => second.stop());
  const after = clientOf(second.kubeconfig);
  assert.deepEqual([after.token, after.ca], [before.token, before.ca]);
  const read = await ask(after, "GET", `${configMaps}/kept`);
  assert.deepEqual(JSON.parse(read.text), JSON.parse(created.text));

  for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
    const mode = statSync(join(dir, name)).mode;
    assert.equal(mode & 0o077, 0, `${name} is open to others`);
  }
  assert.ok(!first.log().includes(before.token) && !second.log().includes(after.token), "a token is in the log");
});

const noFile = etcdOptions() === undefined ? false : "the state is in etcd, which several servers may use";

test("a data directory in use is named, with what to do", { skip: noFile }, async (t) => {
  const dir = join(folder(t), "data");
  const command = await startCommand("--data-dir", dir);
  t.after(() => command.stop());
  const busy = await attempt("--data-dir", dir, "--port", "0");
  assert.equal(busy.code, 1);
  assert.match(busy.stderr, /^coxswain: the data directory is in use: .*choose another data directory\n$/);
});

test("a port in use is named, with what to do", async (t) => {
  const command = await startCommand("--ephemeral");
  t.after(() => command.stop());
  const port = new URL(command.server).port;
  const { code, stderr, stdout } = await attempt("--ephemeral", "--port", port);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.equal(stderr, `coxswain: port ${port} on 127.0.0.1 is in use; choose another with --port (0 takes any free one)\n`);
});

test("what cannot be used stops the start with one sentence", async (t) => {
  const dir = folder(t);
  writeFileSync(join(dir, "tokens"), "token,name\n");
  writeFileSync(join(dir, "kubeconfig"), "apiVersion: v1\nkind: Config\n");
  const cases: readonly { args: readonly string[]; says: RegExp }[] = [
    { args: ["--token-auth-file", join(dir, "absent")], says: /^coxswain: cannot use the token file: ENOENT/ },
    { args: ["--token-auth-file", join(dir, "tokens")], says: /^coxswain: cannot use the token file: .*must have at least 3 columns/ },
    { args: ["--kubeconfig", join(dir, "kubeconfig")], says: /kubeconfig exists and coxswain did not write it/ },
    { args: ["--address", "192.0.2.1"], says: /^coxswain: 192\.0\.2\.1 is not an address of this machine/ },
    { args: ["--nonsense"], says: /^error: unknown option '--nonsense'/ },
  ];
  await Promise.all(
    cases.map(async ({ args, says }) => {
      const { code, stderr } = await attempt("--ephemeral", "--port", "0", ...args);
      assert.equal(code, 1, stderr);
      assert.match(stderr, says);
      assert.equal(stderr.trim().split("\n").length, 1, stderr);
    }),
  );
  const notADirectory = await attempt("--port", "0", "--data-dir", join(dir, "tokens"));
  assert.match(notADirectory.stderr, /^coxswain: the data directory \S+ cannot be used: \S+ is a file\n$/);
});

test("without credentials only health and version answer", async (t) => {
  const command = await startCommand("--ephemeral");
  t.after(() => command.stop());
  const known = clientOf(command.kubeconfig);
  const answers = await Promise.all(
    ["/livez", "/readyz", "/healthz", "/version", "/api", "/metrics", configMaps].map(async (path) => {
      const statuses = [known, { ...known, token: "" }, { ...known, token: "wrong" }].map((client) => ask(client, "GET", path));
      return [path, ...(await Promise.all(statuses)).map(({ status }) => status === 200)];
    }),
  );
  const toAll = [true, true, false];
  const toKnown = [true, false, false];
  assert.deepEqual(answers, [
    ["/livez", ...toAll],
    ["/readyz", ...toAll],
    ["/healthz", ...toAll],
    ["/version", ...toAll],
    ["/api", ...toKnown],
    ["/metrics", ...toKnown],
    [configMaps, ...toKnown],
  ]);
});

test("a signal ends watches in order and the process with 0", async (t) => {
  const command = await startCommand("--ephemeral");
  t.after(() => command.stop());
  const response = await open(
    clientOf(command.kubeconfig),
    "GET",
    `${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
  );
  assert.equal(response.statusCode, 200);
  const chunks = response[Symbol.asyncIterator]();
  assert.match(String((await chunks.next()).value), /"type":"BOOKMARK".*\n$/);
  const metrics = await ask(clientOf(command.kubeconfig), "GET", "/metrics");
  assert.match(metrics.text, /apiserver_longrunning_requests\{verb="WATCH",group="",version="v1",resource="configmaps"[^\n]*\} 1\n/);
  const ended = chunks.next();
  assert.equal(await command.stop(), 0);
  assert.equal((await ended).done, true, "the stream ended as it does after its timeout");
});
