/** What programs that start the command rely on: test kits of other languages do. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { mainFile } from "../conformance/command-under-test.ts";

interface Started {
  readonly child: ChildProcess;
  /** All of standard output so far. */
  printed(): string;
  readonly answer: Answer;
}

interface Answer {
  readonly server: string;
  readonly kubeconfig: string;
  readonly pid: number;
  readonly version: string;
}

const flags = ["--ephemeral", "--port=0", "--output=json", "--apiserver-only"];

async function start(t: TestContext, program: string, args: readonly string[]): Promise<Started> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  let printed = "";
  let logged = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (logged += chunk.toString()));
  const line = waitUntil("a line of JSON", () => {
    assert.equal(child.exitCode, null, logged);
    return printed.includes("\n") ? printed : undefined;
  });
  return { child, printed: () => printed, answer: JSON.parse(await line) as Answer };
}

const startCommand = (t: TestContext, ...more: readonly string[]): Promise<Started> =>
  start(t, process.execPath, [mainFile, ...flags, ...more]);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return process.platform !== "linux";
    return false;
  }
}

const ended = (child: ChildProcess): Promise<unknown[]> => once(child, "exit", { signal: AbortSignal.timeout(hangMs) });

test("--output=json prints one line once the server is ready, and nothing more", async (t) => {
  const { child, printed, answer } = await startCommand(t);
  assert.deepEqual(Object.keys(answer), ["server", "kubeconfig", "pid", "version"]);
  assert.match(answer.server, /^https:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(answer.pid, child.pid);
  assert.equal(answer.version, "0.1.0");
  const ready = await new Promise((resolve) => get(`${answer.server}/readyz`, { rejectUnauthorized: false, agent: false }, resolve));
  assert.equal((ready as { statusCode: number }).statusCode, 200);
  assert.ok(readFileSync(answer.kubeconfig, "utf8").includes(`server: ${answer.server}\n`));
  child.kill("SIGTERM");
  assert.deepEqual(await ended(child), [0, null]);
  assert.equal(printed().trim().split("\n").length, 1);
});

test("the kubeconfig of --ephemeral stands in a temporary folder that ends with the server", async (t) => {
  const { child, answer } = await startCommand(t);
  assert.ok(answer.kubeconfig.startsWith(tmpdir()) && existsSync(answer.kubeconfig));
  child.kill("SIGTERM");
  await ended(child);
  assert.ok(!existsSync(dirname(answer.kubeconfig)), "the folder is still there");
});

test("--kubeconfig names the file that is printed, by its whole path", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { child, answer } = await startCommand(t, "--kubeconfig", join(folder, "a", "..", "config"));
  assert.equal(answer.kubeconfig, join(folder, "config"));
  child.kill("SIGTERM");
  await ended(child);
});

test("--stop-on-stdin-close ends the server in order when its standard input ends", async (t) => {
  const { child, answer } = await startCommand(t, "--stop-on-stdin-close");
  child.stdin?.write("this input is discarded\n");
  child.stdin?.end();
  assert.deepEqual(await ended(child), [0, null]);
  assert.ok(!existsSync(dirname(answer.kubeconfig)), "the temporary folder is still there");
});

test("without --stop-on-stdin-close the server outlives its standard input", async (t) => {
  const { child, answer } = await startCommand(t);
  child.stdin?.end();
  // It answers a request that was sent after the end of its input.
  await new Promise((resolve) => get(`${answer.server}/readyz`, { rejectUnauthorized: false, agent: false }, resolve));
  assert.ok(isRunning(answer.pid));
});

test("a server whose parent is killed leaves neither itself nor its files behind", async (t) => {
  const parent = `require("node:child_process").spawn(process.execPath, ${JSON.stringify([mainFile, ...flags, "--stop-on-stdin-close"])},
    { stdio: ["pipe", "pipe", "pipe"] }).stdout.pipe(process.stdout);`;
  const { child, answer } = await start(t, process.execPath, ["-e", parent]);
  assert.notEqual(answer.pid, child.pid);
  t.after(() => isRunning(answer.pid) && process.kill(answer.pid, "SIGKILL"));
  child.kill("SIGKILL");
  await ended(child);
  await waitUntil("the end of the server", () => !isRunning(answer.pid));
  assert.ok(!existsSync(dirname(answer.kubeconfig)), "the temporary folder is still there");
});

test("standard input that has ended before the start leaves no folder behind", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, [mainFile, ...flags, "--stop-on-stdin-close"], { env, stdio: ["ignore", "pipe", "ignore"] });
  t.after(() => child.kill("SIGKILL"));
  assert.deepEqual(await ended(child), [0, null]);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("coxswain-")),
    [],
  );
});
