import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock, StatusError } from "@coxswain/machinery";
import { quiescence, waitUntil } from "@coxswain/machinery/testing";
import { ConnectionError } from "../transport/transport.ts";
import { podAttach, podExec } from "./pod-exec.ts";
import { type PodUnderTest, startPod } from "./pod-under-test.ts";
import { runInPod } from "./run-in-pod.ts";

const text = (data: Uint8Array): string => Buffer.from(data).toString();

test("a command's output, exit code and place", async () => {
  await using pod = await startPod();
  const echoed = await runInPod(pod.client, "web", { command: ["echo", "a b", "&c"], container: "main" });
  assert.deepEqual(echoed, { exitCode: 0, stdout: "a b &c", stderr: "warned" });
  assert.deepEqual(await runInPod(pod.client, { name: "web", namespace: "other" }, { command: ["exit", "42"] }), {
    exitCode: 42,
    stdout: "",
    stderr: "",
  });
  assert.deepEqual(pod.asked, [
    "/api/v1/namespaces/ns/pods/web/exec?container=main&stdin=false&stdout=true&stderr=true&tty=false&command=echo&command=a+b&command=%26c",
    "/api/v1/namespaces/other/pods/web/exec?stdin=false&stdout=true&stderr=true&tty=false&command=exit&command=42",
  ]);
});

test("standard input goes in, ends, and comes back whole", async () => {
  await using pod = await startPod();
  const stdin = Buffer.alloc(300_000, "0123456789");
  const { exitCode, stdout } = await runInPod(pod.client, "web", { command: ["cat"], stdin });
  assert.equal(exitCode, 0);
  assert.equal(stdout, stdin.toString());
});

test("a program need not read its input, and a protocol without an end of input is rejected", async () => {
  await using pod = await startPod();
  const stdin = Buffer.alloc(1_000_000);
  assert.equal((await runInPod(pod.client, "web", { command: ["exit", "0"], stdin })).exitCode, 0);
  await using old = await startPod({ protocols: ["v4.channel.k8s.io"] });
  await assert.rejects(runInPod(old.client, "web", { command: ["cat"], stdin }), /the standard input has no end/);
});

test("attached to a terminal: one output, sizes, and no end of input before version 5", async () => {
  await using pod = await startPod({ protocols: ["v4.channel.k8s.io"] });
  using attached = await podAttach(pod.client, "web", { stdin: true, tty: true });
  const output = attached.output[Symbol.asyncIterator]();
  await attached.resize({ columns: 80, rows: 24 });
  assert.equal(text((await output.next()).value?.data), 'size {"Width":80,"Height":24}');
  await attached.write(Buffer.from("x"));
  assert.deepEqual(await output.next(), { done: false, value: { from: "stdout", data: Buffer.from("x") } });
  await assert.rejects(attached.end(), /v4\.channel\.k8s\.io, in which the standard input has no end/);
  assert.match(pod.asked[0] ?? "", /attach\?stdin=true&stdout=true&stderr=false&tty=true$/);
});

const failures = [
  { name: "a program that cannot be run", command: "missing", error: StatusError, message: /"missing": not found/ },
  { name: "a server that hangs up without a word", command: "hang-up", error: ConnectionError, message: /before the server said/ },
  { name: "a server that vanishes", command: "vanish", error: ConnectionError, message: /broke off/ },
];
for (const { name, command, error, message } of failures) {
  test(`${name} is never taken for success`, async () => {
    await using pod = await startPod();
    using run = await podExec(pod.client, "web", { command: [command] });
    await assert.rejects(run.exit(), (thrown) => thrown instanceof error && message.test(thrown.message));
  });
}

test("a refusal is the server's own Status", async () => {
  await using pod = await startPod();
  await assert.rejects(podExec(pod.client, "secret", { command: ["echo"] }), { message: 'pods "secret" is forbidden: not yours' });
});

test("a server that speaks none of the protocols", async () => {
  await using pod = await startPod({ protocols: [] });
  await assert.rejects(podExec(pod.client, "web", { command: ["echo"] }), ConnectionError);
});

/** Resolves with how much the flood could send once it can send no more. */
async function standstill({ flooded }: PodUnderTest): Promise<number> {
  await waitUntil("the flood to begin", () => flooded() > 0);
  await quiescence({ observe: flooded, turns: 50 });
  return flooded();
}

test("who does not read makes the program wait", async () => {
  await using pod = await startPod();
  using run = await podExec(pod.client, "web", { command: ["flood"] });
  const sent = await standstill(pod);
  assert.ok(sent < 24 * 1024 * 1024, `${sent} bytes went out although none are read`);
  let bytes = 0;
  for await (const { data } of run.output) bytes += data.byteLength;
  assert.equal(bytes, 32 * 1024 * 1024);
  assert.equal(await run.exit(), 0);
});

test("an abort ends it with its reason", async () => {
  await using pod = await startPod();
  const stop = new AbortController();
  using run = await podExec(pod.client, "web", { command: ["cat"], stdin: true, signal: stop.signal });
  const exit = assert.rejects(run.exit(), { message: "enough" });
  stop.abort(new Error("enough"));
  await exit;
  await assert.rejects(run.write(Buffer.from("x")), { message: "enough" });
  const gone = AbortSignal.abort(new Error("too late"));
  await assert.rejects(podExec(pod.client, "web", { command: ["cat"], signal: gone }), { message: "too late" });
});

test("a connection whose other end is gone without a word is found out by its pings, unless it is the reader who stalls", async () => {
  const clock = new ManualClock();
  await using pod = await startPod({ clock });
  using silent = await podExec(pod.client, "web", { command: ["freeze"] });
  const lost = assert.rejects(silent.exit(), (error) => error instanceof ConnectionError && /no answer to a ping/.test(error.message));
  clock.advance(30_000);
  clock.advance(15_000);
  await lost;
  using stalled = await podExec(pod.client, "web", { command: ["flood"] });
  await standstill(pod);
  clock.advance(30_000);
  clock.advance(15_000);
  assert.equal(await stalled.exit(), 0);
  assert.equal(clock.waiting, 0);
});
