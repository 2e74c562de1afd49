/** Commands in containers, through the API server and the kubelet, with our own client. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { podAttach, podExec, runInPod } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import { type NodeUnderTest, startNode } from "./start-node.ts";

let node: NodeUnderTest;
before(async () => {
  node = await startNode();
});
after(() => node[Symbol.asyncDispose]());

const inMain = (command: string[], more = {}) => ({ command, container: "main", ...more });
const run = (command: string[], more = {}) => runInPod(node.client, "web", inMain(command, more));

async function nothingOpen(): Promise<void> {
  await waitUntil("all commands to end", () => node.script.open.size === 0);
}

const cases = [
  { name: "output", command: ["echo", "a b", "&c"], exitCode: 0, stdout: "a b &c\n", stderr: "" },
  { name: "both outputs", command: ["sh", "-c", "echo out; echo err >&2"], exitCode: 0, stdout: "out\n", stderr: "err\n" },
  { name: "an exit code", command: ["sh", "-c", "exit 42"], exitCode: 42, stdout: "", stderr: "" },
];
for (const { name, command, ...result } of cases) test(name, async () => assert.deepEqual(await run(command), result));

test("standard input arrives complete, followed by its end", async () => {
  const stdin = Buffer.alloc(3_000_000, "0123456789abcdef");
  const { stdout } = await run(["sha256sum"], { stdin });
  assert.equal(stdout, `${createHash("sha256").update(stdin).digest("hex")}  -\n`);
  assert.equal((await run(["cat"], { stdin })).stdout.length, stdin.length);
});

test("exec of a missing program fails with Kubernetes' message", async () => {
  const message =
    'Internal error occurred: error executing command in container: exec failed: unable to start container process: exec: "no-such-program": executable file not found in $PATH';
  await assert.rejects(run(["no-such-program"]), { message });
});

test("a terminal has one output and a size", async () => {
  using shell = await podExec(node.client, "web", inMain(["sizes"], { stdin: true, tty: true }));
  await shell.resize({ columns: 80, rows: 24 });
  const sizes = shell.output[Symbol.asyncIterator]();
  const next = async () => Buffer.from((await sizes.next()).value?.data ?? "").toString();
  assert.equal(await next(), "tty\r\n");
  assert.equal(await next(), "80x24\r\n");
  await shell.resize({ columns: 100, rows: 30 });
  assert.equal(await next(), "100x30\r\n");
  assert.equal(await shell.exit(), 0);
});

test("attached to what runs, and left without ending it", async () => {
  using attached = await podAttach(node.client, "web", { container: "main", stdin: true });
  await attached.write(Buffer.from("hello"));
  const { value } = await attached.output[Symbol.asyncIterator]().next();
  assert.deepEqual({ from: value?.from, text: Buffer.from(value?.data ?? "").toString() }, { from: "stdout", text: "hello" });
  attached.close();
  await nothingOpen();
});

test("a slow reader of exec applies backpressure and gets all output", async () => {
  const bytes = 128 * 1024 * 1024;
  node.script.flooded = 0;
  using flood = await podExec(node.client, "web", inMain(["flood", String(bytes)]));
  for (let before = -1, still = 0; still < 100; still = node.script.flooded > 0 && before === node.script.flooded ? still + 1 : 0) {
    before = node.script.flooded;
    await new Promise(setImmediate);
  }
  assert.ok(node.script.flooded < bytes / 4, `${node.script.flooded} bytes went out although none are read`);
  let read = 0;
  for await (const { data } of flood.output) read += data.byteLength;
  assert.equal(read, bytes);
  assert.equal(await flood.exit(), 0);
});

test("a client that is gone ends the command", async () => {
  const stop = new AbortController();
  using hanging = await podExec(node.client, "web", inMain(["hang"], { signal: stop.signal }));
  await waitUntil("the command to start", () => node.script.open.size > 0);
  const ended = assert.rejects(hanging.exit(), { message: "enough" });
  stop.abort(new Error("enough"));
  await ended;
  await nothingOpen();
});

const refusals = [
  { target: "web", container: "nope", message: "container nope is not valid for pod web" },
  { target: "web", container: "side", message: /container not found \("side"\)/ },
  { target: "none", container: "main", message: 'pods "none" not found' },
];
for (const { target, container, message } of refusals) {
  test(`no command in ${target}/${container}`, async () => {
    await assert.rejects(runInPod(node.client, target, { command: ["true"], container }), { message });
  });
}

test("many commands at once, and nothing is left of them", async () => {
  const outputs = await Promise.all(Array.from({ length: 40 }, (_, i) => run(["echo", String(i)])));
  assert.deepEqual(
    outputs.map(({ stdout }) => stdout),
    outputs.map((_, i) => `${i}\n`),
  );
  await nothingOpen();
});
