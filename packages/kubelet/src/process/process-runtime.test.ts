import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerConfig } from "../runtime/runtime-config.ts";
import { containerConfig, sandboxConfig } from "../simulated/simulated-under-test.ts";
import { allProcesses, markedProcesses, processFacts } from "./process-identity.ts";
import { openProcessRuntime } from "./process-runtime.ts";

const { signal } = new AbortController();
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Everything is gone at the end of the test: files and processes. */
async function opened(t: TestContext, present?: string) {
  const directory = present ?? (await mkdtemp(join(tmpdir(), "coxswain-process-")));
  const runtime: PodRuntime = await openProcessRuntime({ directory, clock: systemClock, random: systemRandom, podIps: ["192.0.2.1"] });
  t.after(async () => {
    const containers = await runtime.listContainers(signal);
    for (const { id } of await runtime.listPodSandboxes(signal)) await runtime.removePodSandbox(id, signal);
    await runtime[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
    for (const { id } of containers) assert.deepEqual(await markedProcesses(`COXSWAIN_CONTAINER_ID=${id}`), []);
  });
  const sandbox = { ...sandboxConfig(), logDirectory: join(directory, "logs") };
  const sandboxId = await runtime.runPodSandbox(sandbox, signal);
  const create = (config: Partial<ContainerConfig>) => runtime.createContainer(sandboxId, containerConfig(config), sandbox, signal);
  const start = async (config: Partial<ContainerConfig>) => {
    const id = await create(config);
    await runtime.startContainer(id, signal);
    return id;
  };
  const shell = (script: string, config: Partial<ContainerConfig> = {}) => start({ command: ["/bin/sh", "-c"], args: [script], ...config });
  const statusOf = async (id: string) => {
    const found = (await runtime.listContainers(signal)).find((one) => one.id === id);
    assert(found !== undefined);
    return found;
  };
  const ended = async (id: string) => {
    const over = new AbortController();
    const changes = runtime.events?.(over.signal)[Symbol.asyncIterator]();
    for (let status = await statusOf(id); ; status = await statusOf(id)) {
      if (status.state === "exited") {
        over.abort();
        return status;
      }
      await changes?.next();
    }
  };
  const logs = async (id: string) => {
    const lines: string[] = [];
    const options = { follow: true, tailLines: undefined };
    for await (const { stream, content, partial } of runtime.logs(await statusOf(id), options, signal)) {
      lines.push(`${stream} ${partial ? "…" : ""}${text(content)}`);
    }
    return lines;
  };
  /** Resolves with the first line that it writes. */
  const written = async (id: string) => {
    for await (const { content } of runtime.logs(await statusOf(id), { follow: true, tailLines: undefined }, signal)) return text(content);
    return undefined;
  };
  return { directory, runtime, sandbox, sandboxId, create, start, shell, statusOf, ended, logs, written };
}

const ends = [
  { name: "with its own code", script: "exit 3", expect: { exitCode: 3, reason: "Error" } },
  { name: "well", script: "true", expect: { exitCode: 0, reason: "Completed" } },
  { name: "by a signal", script: "kill -9 $$", expect: { exitCode: 137, reason: "Error" } },
];
for (const { name, script, expect } of ends) {
  test(`A process ends ${name}`, async (t) => {
    const { shell, ended } = await opened(t);
    const { exitCode, reason, startedAt, finishedAt } = await ended(await shell(script));
    assert.deepEqual({ exitCode, reason }, expect);
    assert(startedAt > 0 && finishedAt >= startedAt - 1000);
  });
}

test("A process starts in its own directory, with its environment and no other, and finds its volumes there", async (t) => {
  process.env.SECRET_OF_THE_KUBELET = "1";
  t.after(() => delete process.env.SECRET_OF_THE_KUBELET);
  const { directory, shell, logs } = await opened(t);
  const mounts = [{ containerPath: "/etc/config", hostPath: directory, readOnly: true, propagation: "private" as const }];
  const env = [{ name: "COLOUR", value: "red" }];
  const script =
    'echo "$COLOUR $HOSTNAME $SECRET_OF_THE_KUBELET"; pwd; [ "$PWD" = "$COXSWAIN_ROOT/work" ] && ls -d "$COXSWAIN_ROOT/etc/config/logs" >/dev/null && echo found >&2';
  const lines = await logs(await shell(script, { mounts, env, workingDir: "/../work" }));
  assert.equal(lines[0], "stdout red web ");
  assert.match(lines[1] ?? "", /\/root\/work$/);
  assert.deepEqual(lines.slice(2), ["stderr found"]);
});

test("Output is kept as a log that other tools read, long lines in parts", async (t) => {
  const { shell, ended } = await opened(t);
  const id = await shell("printf '%020000d\\nlast' 0");
  const { logPath } = await ended(id);
  const [first = "", second = "", third = ""] = (await readFile(logPath, "utf8")).split("\n");
  assert.match(first, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z stdout P 0{16384}$/);
  assert.match(second, / stdout F 0{3616}$/);
  assert.match(third, / stdout F last$/);
});

test("A process is asked to end by its own signal, and killed after its grace with all that it has started", async (t) => {
  const { shell, statusOf, runtime, written } = await opened(t);
  const polite = await shell("trap 'exit 7' QUIT; echo ready; while :; do sleep 0.05; done", { stopSignal: "SIGQUIT" });
  await written(polite);
  await runtime.stopContainer(polite, 30, signal);
  assert.equal((await statusOf(polite)).exitCode, 7);
  const plain = await shell("exec sleep 1000", { attempt: 1 });
  await runtime.stopContainer(plain, 30, signal);
  assert.equal((await statusOf(plain)).exitCode, 143);
  const deaf = await shell("trap '' TERM; (setsid sleep 1001 &); echo ready; sleep 1002", { attempt: 2, logPath: "deaf.log" });
  await written(deaf);
  await runtime.stopContainer(deaf, 0, signal);
  assert.equal((await statusOf(deaf)).exitCode, 137);
  assert.deepEqual(await markedProcesses(`COXSWAIN_CONTAINER_ID=${deaf}`), []);
});

const refused: readonly { name: string; config: Partial<ContainerConfig>; message: RegExp }[] = [
  { name: "a privileged one", config: { security: { ...containerConfig().security, privileged: true } }, message: /is privileged/ },
  { name: "capabilities", config: { security: { ...containerConfig().security, addCapabilities: ["NET_ADMIN"] } }, message: /NET_ADMIN/ },
];
for (const { name, config, message } of refused) {
  test(`What would be a lie is refused: ${name}`, async (t) => {
    const { create, directory } = await opened(t);
    await assert.rejects(create(config), message);
    assert.deepEqual(await readdir(join(directory, "containers")), []);
  });
}

const startErrors: readonly { name: string; command: readonly string[]; message: RegExp }[] = [
  { name: "no command", command: [], message: /the process runtime has no images, so that a container must have a command/ },
  {
    name: "a program that is not there",
    command: ["no-such-program"],
    message: /exec: "no-such-program": executable file not found in \$PATH/,
  },
];
for (const { name, command, message } of startErrors) {
  test(`A container cannot start with ${name}`, async (t) => {
    const { create, runtime, statusOf } = await opened(t);
    const id = await create({ command });
    await assert.rejects(runtime.startContainer(id, signal), message);
    const status = await statusOf(id);
    assert.deepEqual(
      { state: status.state, exitCode: status.exitCode, reason: status.reason },
      { state: "exited", exitCode: 128, reason: "StartError" },
    );
    assert.match(status.message, message);
  });
}

test("Commands run beside it, for as long as they may", async (t) => {
  const { shell, runtime } = await opened(t);
  const id = await shell("sleep 1000", { env: [{ name: "COLOUR", value: "red" }] });
  const { exitCode, stdout, stderr } = await runtime.execSync(id, ["sh", "-c", "echo $COLOUR; echo no >&2; exit 4"], 10, signal);
  assert.deepEqual({ exitCode, stdout: text(stdout), stderr: text(stderr) }, { exitCode: 4, stdout: "red\n", stderr: "no\n" });
  await assert.rejects(runtime.execSync(id, ["sleep", "1000"], 0.1, signal), { kind: "timeout" });
  await assert.rejects(runtime.execSync(id, ["no-such-program"], 0, signal), /executable file not found in \$PATH/);
  const request = { command: ["cat"], stdin: true, stdout: true, stderr: true, tty: false };
  using terminal = await runtime.exec(id, request, signal);
  await terminal.writeStdin(Buffer.from("hello"));
  terminal.endStdin();
  assert.equal(await all(terminal.stdout), "hello");
  assert.equal(await terminal.exited, 0);
});

async function all(stream: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  let read = "";
  for await (const chunk of stream ?? []) read += text(chunk);
  return read;
}

test("What a command leaves behind goes on with the container, and ends with it", async (t) => {
  const { shell, runtime } = await opened(t);
  const id = await shell("sleep 1000");
  const { stdout } = await runtime.execSync(id, ["sh", "-c", "sleep 1001 >/dev/null 2>&1 & echo $!"], 0, signal);
  const left = Number(text(stdout));
  assert.notEqual(await processFacts(left), undefined);
  const hanging = runtime.execSync(id, ["sleep", "1002"], 0, signal);
  await runtime.stopContainer(id, 0, signal);
  assert.equal((await hanging).exitCode, 137);
  assert.equal(await processFacts(left), undefined);
});

test("A terminal has a size, and what is typed is shown", async (t) => {
  const { shell, runtime } = await opened(t);
  const id = await shell("sleep 1000");
  const request = { command: ["sh", "-c", "read line; stty size; exit 5"], stdin: true, stdout: true, stderr: false, tty: true };
  using terminal = await runtime.exec(id, request, signal);
  terminal.resize({ width: 100, height: 40 });
  await terminal.writeStdin(Buffer.from("go\r"));
  assert.equal(await all(terminal.stdout), "go\r\n40 100\r\n");
  assert.equal(await terminal.exited, 5);
});

test("Who is attached hears it and talks to it, and its input ends with his when it is for one only", async (t) => {
  const { start, runtime, ended } = await opened(t);
  for (const [attempt, tty] of [false, true].entries()) {
    const id = await start({ command: ["cat"], stdin: true, stdinOnce: true, tty, attempt });
    using terminal = await runtime.attach(id, { stdin: true, stdout: true, stderr: !tty, tty }, signal);
    await terminal.writeStdin(Buffer.from("hello\n"));
    terminal.endStdin();
    assert.equal(await all(terminal.stdout), tty ? "hello\r\nhello\r\n" : "hello\n");
    assert.equal(await terminal.exited, 0);
    assert.equal((await ended(id)).exitCode, 0);
  }
});

test("A new kubelet finds running processes as they were, and learns how those ended that did meanwhile", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "coxswain-process-"));
  const kubelet = spawn(process.execPath, [join(import.meta.dirname, "kubelet-under-test.ts"), directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(kubelet.stdout), "line");
  const [short, long] = JSON.parse(line);
  const refused = openProcessRuntime({ directory, clock: systemClock, random: systemRandom, podIps: [] });
  await assert.rejects(refused, /is held by the process \d+: two runtimes cannot share a directory/);
  kubelet.kill("SIGKILL");
  await once(kubelet, "exit");
  await writeFile(join(directory, "containers", short, "root", "go"), "\n");
  const { runtime, statusOf, ended, logs } = await opened(t, directory);
  assert.equal((await statusOf(long)).state, "running");
  assert.equal((await ended(short)).exitCode, 6);
  const { exitCode } = await runtime.execSync(long, ["sh", "-c", "echo > go"], 0, signal);
  assert.equal(exitCode, 0);
  assert.equal((await ended(long)).exitCode, 9);
  assert.deepEqual(await logs(long), ["stdout before", "stdout after"]);
});

/** A kubelet that made a container and died before it could note more; then another one. */
async function left(t: TestContext, leave: (directory: string, id: string) => Promise<void>) {
  const directory = await mkdtemp(join(tmpdir(), "coxswain-process-"));
  const first = await openProcessRuntime({ directory, clock: systemClock, random: systemRandom, podIps: [] });
  const sandbox = { ...sandboxConfig(), logDirectory: join(directory, "logs") };
  const sandboxId = await first.runPodSandbox(sandbox, signal);
  const id = await first.createContainer(sandboxId, containerConfig({ command: ["sleep", "1000"] }), sandbox, signal);
  await first[Symbol.asyncDispose]();
  await leave(join(directory, "containers", id), id);
  return { id, ...(await opened(t, directory)) };
}

test("A command that was started and has ended without a note of its start has ended for a new kubelet, too", async (t) => {
  const { id, ended, runtime } = await left(t, async (directory) => {
    const gone = spawn("true");
    await once(gone, "exit");
    await writeFile(join(directory, "pid"), `${gone.pid}\n`);
    await writeFile(join(directory, "exit"), "7\n");
  });
  const { exitCode, startedAt, finishedAt } = await ended(id);
  assert.equal(exitCode, 7);
  assert(startedAt > 0 && finishedAt >= startedAt);
  await assert.rejects(runtime.startContainer(id, signal), /was started before/);
});

test("What was about to start a command when its kubelet died starts none later", { skip: process.platform !== "linux" }, async (t) => {
  const { id, statusOf, runtime } = await left(t, async (_directory, name) => {
    const shim = spawn("sleep", ["1000"], { env: { ...process.env, COXSWAIN_CONTAINER_ID: name }, detached: true, stdio: "ignore" });
    await once(shim, "spawn");
    await waitUntil(`a process of ${name}`, async () => (await markedProcesses(`COXSWAIN_CONTAINER_ID=${name}`)).length > 0);
  });
  assert.deepEqual(await markedProcesses(`COXSWAIN_CONTAINER_ID=${id}`), []);
  assert.equal((await statusOf(id)).state, "created");
  await runtime.startContainer(id, signal);
  assert.equal((await statusOf(id)).state, "running");
});

test("A container that is stopped while it starts leaves no process, and is started once", async (t) => {
  const { create, runtime, statusOf, sandboxId } = await opened(t);
  const id = await create({ command: ["sleep", "1000"] });
  const starting = [runtime.startContainer(id, signal), runtime.startContainer(id, signal), runtime.stopPodSandbox(sandboxId, signal)];
  const [first, second] = await Promise.allSettled(starting);
  assert.match(String(first?.status === "rejected" && first.reason), /was stopped while it started/);
  assert.match(String(second?.status === "rejected" && second.reason), /was started before/);
  assert.equal((await statusOf(id)).state, "exited");
  assert.deepEqual(await markedProcesses(`COXSWAIN_CONTAINER_ID=${id}`), []);
});

test("What processes use is told by group", async (t) => {
  const { shell, runtime } = await opened(t);
  const id = await shell("i=0; while :; do i=$((i+1)); done");
  const used = async () => (await runtime.stats(signal)).containers.find((one) => one.id === id);
  assert(((await used())?.memoryWorkingSetBytes ?? 0) > 100_000);
  let cpu = 0;
  while (cpu === 0) cpu = (await used())?.cpuNanoseconds ?? 0;
  assert(cpu > 0);
  assert((await allProcesses()).length > 1);
});

test("A port of the Pod is one of this machine", async (t) => {
  const { runtime, sandboxId } = await opened(t);
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  assert(address !== null && typeof address === "object");
  using connection = await runtime.portForward(sandboxId, address.port, signal);
  await connection.write(Buffer.from("hello"));
  connection.end();
  assert.equal(await all(connection.readable), "hello");
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(runtime.portForward(sandboxId, address.port, signal), { kind: "refused" });
});
