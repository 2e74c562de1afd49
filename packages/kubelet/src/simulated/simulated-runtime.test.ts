import assert from "node:assert/strict";
import test from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { ContainerConfig } from "../runtime/runtime-config.ts";
import type { SimulatedImages } from "./script.ts";
import { createSimulatedRuntime, type SimulatedRuntime } from "./simulated-runtime.ts";
import { containerConfig, sandboxConfig } from "./simulated-under-test.ts";

const { signal } = new AbortController();
const second = 1000;

/** Ids that count. */
function counting() {
  let n = 0;
  return { next: () => 0, uuid: () => `id-${n++}` };
}

interface Started {
  readonly clock: ManualClock;
  readonly runtime: SimulatedRuntime;
  readonly sandboxId: string;
  readonly id: string;
}

async function start(
  annotations: Record<string, string>,
  config: Partial<ContainerConfig> = {},
  images: SimulatedImages = {},
): Promise<Started> {
  const clock = new ManualClock();
  const runtime = createSimulatedRuntime({ clock, random: counting(), images });
  const sandbox = sandboxConfig(annotations);
  const wanted = containerConfig(config);
  await runtime.pullImage(wanted.image, undefined, sandbox, signal);
  const sandboxId = await runtime.runPodSandbox(sandbox, signal);
  const id = await runtime.createContainer(sandboxId, wanted, sandbox, signal);
  await runtime.startContainer(id, signal);
  return { clock, runtime, sandboxId, id };
}

async function statusOf({ runtime }: Started) {
  const [status] = await runtime.listContainers(signal);
  assert(status !== undefined);
  return status;
}

const key = (name: string) => `simulation.coxswain.io/${name}`;

const ends = [
  { name: "runs for ever by default", annotations: {}, expect: { state: "running", exitCode: 0, reason: "" } },
  { name: "ends after its time", annotations: { "run-for": "5s" }, expect: { state: "exited", exitCode: 0, reason: "Completed" } },
  {
    name: "ends with its code",
    annotations: { "run-for": "5s", "exit-code": "3" },
    expect: { state: "exited", exitCode: 3, reason: "Error" },
  },
  {
    name: "is killed for its memory",
    annotations: { "run-for": "5s", "exit-reason": "OOMKilled" },
    expect: { state: "exited", exitCode: 137, reason: "OOMKilled" },
  },
  {
    name: "has annotations of its own, apart from the other containers of its Pod",
    annotations: { "run-for": "never", "main.run-for": "1s", "other.exit-code": "4" },
    expect: { state: "exited", exitCode: 0, reason: "Completed" },
  },
  {
    name: "has another outcome with each attempt",
    annotations: { "run-for": "1s", "exit-code": "1,2,0" },
    attempt: 1,
    expect: { state: "exited", exitCode: 2, reason: "Error" },
  },
  {
    name: "has the last outcome with each further attempt",
    annotations: { "run-for": "1s", "exit-code": "1,2,0" },
    attempt: 7,
    expect: { state: "exited", exitCode: 0, reason: "Completed" },
  },
];
for (const { name, annotations, attempt = 0, expect } of ends) {
  test(`A simulated container ${name}`, async () => {
    const own = Object.fromEntries(Object.entries(annotations).map(([name, value]) => [key(name), value]));
    const started = await start(own, { attempt });
    started.clock.advance(10 * second);
    const { state, exitCode, reason } = await statusOf(started);
    assert.deepEqual({ state, exitCode, reason }, expect);
    assert.equal(started.clock.waiting, 0);
  });
}

test("A function for the image decides what becomes of its containers, and annotations override it", async () => {
  const images: SimulatedImages = {
    "registry.local/*:2": ({ attempt }) => ({ runMs: 1000, exitCode: attempt }),
    "web:*": () => ({ runMs: 5000 }),
  };
  const started = await start({}, { image: "registry.local/shop:2", userImage: "registry.local/shop:2", attempt: 9 }, images);
  started.clock.advance(second);
  assert.equal((await statusOf(started)).exitCode, 9);
  const other = await start({ [key("run-for")]: "1s" }, {}, images);
  other.clock.advance(second);
  assert.equal((await statusOf(other)).state, "exited");
});

test("A container that is stopped ends after its stop-after time, or is killed after the grace period", async () => {
  for (const { stopAfter, grace, after, exitCode } of [
    { stopAfter: "0s", grace: 30, after: 0, exitCode: 0 },
    { stopAfter: "5s", grace: 30, after: 5, exitCode: 0 },
    { stopAfter: "never", grace: 30, after: 30, exitCode: 137 },
    { stopAfter: "1m", grace: 0, after: 0, exitCode: 137 },
  ]) {
    const started = await start({ [key("stop-after")]: stopAfter });
    const stopped = started.runtime.stopContainer(started.id, grace, signal);
    await quiescence({ clock: started.clock });
    started.clock.advance(after * second);
    await stopped;
    const status = await statusOf(started);
    assert.deepEqual({ exitCode: status.exitCode, ranMs: status.finishedAt - status.startedAt }, { exitCode, ranMs: after * second });
  }
});

test("A second stop with a shorter grace period ends the container earlier", async () => {
  const started = await start({ [key("stop-after")]: "never" });
  const slow = started.runtime.stopContainer(started.id, 30, signal);
  const fast = started.runtime.stopContainer(started.id, 2, signal);
  await quiescence({ clock: started.clock });
  started.clock.advance(2 * second);
  await Promise.all([slow, fast]);
  assert.equal(started.clock.waiting, 0);
});

test("Probes are refused before ready-after, and fail after unhealthy-after", async () => {
  const { clock, runtime, id } = await start({ [key("ready-after")]: "3s", [key("unhealthy-after")]: "10s" });
  const target = { containerId: id, host: "10.244.0.2", port: 8080, timeoutMs: second };
  const call = { ...target, scheme: "http", path: "/healthz", headers: [] } as const;
  await assert.rejects(runtime.dial.http(call, signal), { message: "dial tcp 10.244.0.2:8080: connect: connection refused" });
  assert.equal((await runtime.execSync(id, ["cat", "/tmp/healthy"], 1, signal)).exitCode, 1);
  clock.advance(3 * second);
  assert.equal((await runtime.dial.http(call, signal)).status, 200);
  assert.equal((await runtime.execSync(id, ["cat", "/tmp/healthy"], 1, signal)).exitCode, 0);
  clock.advance(7 * second);
  assert.equal((await runtime.dial.http(call, signal)).status, 500);
  assert.deepEqual(await runtime.dial.grpc({ ...target, service: "" }, signal), { kind: "answered", status: "NOT_SERVING" });
});

test("A change of a Pod is delivered once to each listener, and an aborted listener ends", async () => {
  const { clock, runtime } = await start({ [key("run-for")]: "5s" });
  const leave = new AbortController();
  const events = runtime.events?.(leave.signal)[Symbol.asyncIterator]();
  const next = events?.next();
  await quiescence({ clock });
  clock.advance(5 * second);
  assert.deepEqual(await next, { done: false, value: { podUid: "uid-web" } });
  const last = events?.next();
  leave.abort();
  assert.deepEqual(await last, { done: true, value: undefined });
});

test("Pod IPs are given in turn, and reused when all others are taken", async () => {
  const runtime = createSimulatedRuntime({ clock: new ManualClock(), random: counting(), podCidrs: ["10.1.2.0/29"] });
  const run = (name: string) => runtime.runPodSandbox(sandboxConfig({}, name), signal);
  const ids = [];
  for (const name of ["a", "b", "c", "d", "e"]) ids.push(await run(name));
  const addresses = (await runtime.listPodSandboxes(signal)).map(({ ips }) => ips[0]);
  assert.deepEqual(addresses, ["10.1.2.2", "10.1.2.3", "10.1.2.4", "10.1.2.5", "10.1.2.6"]);
  await assert.rejects(run("f"), /no IP addresses available/);
  await runtime.removePodSandbox(ids[2] ?? "", signal);
  await run("f");
  assert.deepEqual(
    (await runtime.listPodSandboxes(signal, "uid-f")).map(({ ips }) => ips),
    [["10.1.2.4"]],
  );
});

test("a Pod has an address of each range, or none", async () => {
  const runtime = createSimulatedRuntime({ clock: new ManualClock(), random: counting(), podCidrs: ["10.1.2.0/24", "fd00:1::/125"] });
  const run = (name: string) => runtime.runPodSandbox(sandboxConfig({}, name), signal);
  const addressesOf = async (name: string) => (await runtime.listPodSandboxes(signal, `uid-${name}`)).map(({ ips }) => ips);
  for (const name of ["a", "b", "c", "d", "e"]) await run(name);
  assert.deepEqual(await addressesOf("b"), [["10.1.2.3", "fd00:1::3"]]);
  await assert.rejects(run("f"), /no IP addresses available/);
  await runtime.removePodSandbox((await runtime.listPodSandboxes(signal, "uid-b"))[0]?.id ?? "", signal);
  await run("f");
  assert.deepEqual(await addressesOf("f"), [["10.1.2.8", "fd00:1::3"]]);
});

test("Log lines come at their times, the last ones first asked for, and end with the container", async () => {
  const started = await start({
    [key("logs")]: "one\ntwo\nthree",
    [key("log-every")]: "2s",
    [key("log-repeats")]: "true",
    [key("run-for")]: "9s",
  });
  const { clock, runtime } = started;
  clock.advance(5 * second);
  const read = async (follow: boolean, tailLines: number | undefined) => {
    const lines: string[] = [];
    for await (const { content } of runtime.logs(await statusOf(started), { follow, tailLines }, signal))
      lines.push(new TextDecoder().decode(content));
    return lines;
  };
  assert.deepEqual(await read(false, undefined), ["one", "two", "three"]);
  assert.deepEqual(await read(false, 1), ["three"]);
  const followed = read(true, 1);
  do await quiescence({ clock });
  while (clock.step());
  assert.deepEqual(await followed, ["three", "one", "two"]);
  assert.equal(clock.waiting, 0);
});

test("A pull fails as often as its image says", async () => {
  const runtime = createSimulatedRuntime({ clock: new ManualClock(), random: counting() });
  const pull = () => runtime.pullImage("web:1", undefined, sandboxConfig({ [key("fail-pull")]: "1", [key("image-size")]: "5Mi" }), signal);
  await assert.rejects(pull, { message: 'failed to pull and unpack image "docker.io/library/web:1": simulated failure' });
  assert.equal(await runtime.imageStatus("web:1", signal), undefined);
  const id = await pull();
  const image = await runtime.imageStatus("web:1", signal);
  assert.deepEqual(
    { id: image?.id, tags: image?.tags, sizeBytes: image?.sizeBytes },
    { id, tags: ["docker.io/library/web:1"], sizeBytes: 5 * 2 ** 20 },
  );
});

async function text(stream: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  let all = "";
  for await (const chunk of stream ?? []) all += new TextDecoder().decode(chunk);
  return all;
}

test("Commands run in it by name, with their streams and their codes", async () => {
  const { runtime, id } = await start({}, { env: [{ name: "COLOUR", value: "red" }] });
  const run = async (command: readonly string[], input?: string) => {
    const request = { command, stdin: input !== undefined, stdout: true, stderr: true, tty: false };
    using terminal = await runtime.exec(id, request, signal);
    if (input !== undefined) await terminal.writeStdin(new TextEncoder().encode(input));
    terminal.endStdin();
    return { stdout: await text(terminal.stdout), stderr: await text(terminal.stderr), code: await terminal.exited };
  };
  assert.deepEqual(await run(["echo", "a", "b"]), { stdout: "a b\n", stderr: "", code: 0 });
  assert.deepEqual(await run(["/bin/cat"], "héllo"), { stdout: "héllo", stderr: "", code: 0 });
  assert.deepEqual(await run(["sh", "-c", "env; exit 3"]), { stdout: "COLOUR=red\n", stderr: "", code: 3 });
  assert.deepEqual(await run(["sh"], "hostname\nls\n"), { stdout: "web\n", stderr: "ls: not found in a simulated container\n", code: 127 });
});

test("Who is attached to a shell ends the container when he leaves it", async () => {
  const started = await start({}, { stdin: true, stdinOnce: true, tty: true, command: ["sh"] });
  using terminal = await started.runtime.attach(started.id, { stdin: true, stdout: true, stderr: false, tty: true }, signal);
  await terminal.writeStdin(new TextEncoder().encode("echo hi\rexit 4\r"));
  assert.equal(await text(terminal.stdout), "echo hi\r\nexit 4\r\nhi\r\n");
  assert.equal(await terminal.exited, 4);
  assert.equal((await statusOf(started)).exitCode, 4);
});

test("A port answers requests, and is closed with the container", async () => {
  const { runtime, id, sandboxId } = await start({});
  using connection = await runtime.portForward(sandboxId, 80, signal);
  const answered = text(connection.readable);
  await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
  await runtime.stopContainer(id, 0, signal);
  assert.match(await answered, /^HTTP\/1.1 200 .*web:1 in default\/web\n$/s);
  await assert.rejects(runtime.portForward(sandboxId, 80, signal), /connection refused/);
});
