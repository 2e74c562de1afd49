import assert from "node:assert/strict";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import test from "node:test";
import type { ContainerConfig } from "../runtime/runtime-config.ts";
import { containerConfig } from "../simulated/simulated-under-test.ts";
import { allProcesses, markedProcesses } from "./process-identity.ts";
import { openedRuntime, readAll } from "./process-runtime-under-test.ts";

const { signal } = new AbortController();

const ends = [
  { name: "with its exit code", script: "exit 3", expect: { exitCode: 3, reason: "Error" } },
  { name: "with exit code 0", script: "true", expect: { exitCode: 0, reason: "Completed" } },
  { name: "by a signal", script: "kill -9 $$", expect: { exitCode: 137, reason: "Error" } },
];
for (const { name, script, expect } of ends) {
  test(`A process ends ${name}`, async (t) => {
    const { shell, ended } = await openedRuntime(t);
    const { exitCode, reason, startedAt, finishedAt } = await ended(await shell(script));
    assert.deepEqual({ exitCode, reason }, expect);
    assert(startedAt > 0 && finishedAt >= startedAt - 1000);
  });
}

test("A process starts in its own working directory, with the environment of its container only, and finds its volumes there", async (t) => {
  process.env.SECRET_OF_THE_KUBELET = "1";
  t.after(() => delete process.env.SECRET_OF_THE_KUBELET);
  const { directory, shell, logs } = await openedRuntime(t);
  const mounts = [{ containerPath: "/etc/config", hostPath: directory, readOnly: true, propagation: "private" as const }];
  const env = [{ name: "COLOUR", value: "red" }];
  const script =
    'echo "$COLOUR $HOSTNAME $SECRET_OF_THE_KUBELET"; pwd; [ "$PWD" = "$COXSWAIN_ROOT/work" ] && ls -d "$COXSWAIN_ROOT/etc/config/logs" >/dev/null && echo found >&2';
  const lines = await logs(await shell(script, { mounts, env, workingDir: "/../work" }));
  assert.equal(lines[0], "stdout red web ");
  assert.match(lines[1] ?? "", /\/root\/work$/);
  assert.deepEqual(lines.slice(2), ["stderr found"]);
});

test("A working directory in a volume is made in it, and nowhere that a link in it leads to", async (t) => {
  const { directory, shell, ended } = await openedRuntime(t);
  const [volume, outside] = [join(directory, "volume"), join(directory, "outside")];
  for (const path of [volume, outside]) await mkdir(path);
  await symlink(outside, join(volume, "out"));
  const mounts = [{ containerPath: "/data", hostPath: volume, readOnly: false, propagation: "private" as const }];
  assert.equal((await ended(await shell("true", { mounts, workingDir: "/data/new/deep" }))).exitCode, 0);
  assert.deepEqual(await readdir(join(volume, "new")), ["deep"]);
  await assert.rejects(shell("true", { mounts, workingDir: "/data/out/new", attempt: 1 }), /leads out of its volume/);
  assert.deepEqual(await readdir(outside), []);
});

test("Output is written in the format of CRI logs, long lines in parts", async (t) => {
  const { shell, ended } = await openedRuntime(t);
  const id = await shell("printf '%020000d\\nlast' 0");
  const { logPath } = await ended(id);
  const [first = "", second = "", third = ""] = (await readFile(logPath, "utf8")).split("\n");
  assert.match(first, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z stdout P 0{16384}$/);
  assert.match(second, / stdout F 0{3616}$/);
  assert.match(third, / stdout F last$/);
});

test("A process gets its stop signal, and after the grace period SIGKILL together with all that it started", async (t) => {
  const { shell, statusOf, runtime, written } = await openedRuntime(t);
  const graceful = await shell("trap 'exit 7' QUIT; echo ready; while :; do sleep 0.05; done", { stopSignal: "SIGQUIT" });
  await written(graceful);
  await runtime.stopContainer(graceful, 30, signal);
  assert.equal((await statusOf(graceful)).exitCode, 7);
  const plain = await shell("exec sleep 1000", { attempt: 1 });
  await runtime.stopContainer(plain, 30, signal);
  assert.equal((await statusOf(plain)).exitCode, 143);
  const ignoring = await shell("trap '' TERM; (setsid sleep 1001 &); echo ready; sleep 1002", { attempt: 2, logPath: "ignoring.log" });
  await written(ignoring);
  await runtime.stopContainer(ignoring, 0, signal);
  assert.equal((await statusOf(ignoring)).exitCode, 137);
  assert.deepEqual(await markedProcesses(`COXSWAIN_CONTAINER_ID=${ignoring}`), []);
});

const refused: readonly { name: string; config: Partial<ContainerConfig>; message: RegExp }[] = [
  { name: "privileged", config: { security: { ...containerConfig().security, privileged: true } }, message: /is privileged/ },
  { name: "capabilities", config: { security: { ...containerConfig().security, addCapabilities: ["NET_ADMIN"] } }, message: /NET_ADMIN/ },
];
for (const { name, config, message } of refused) {
  test(`A container that asks for what processes cannot have is rejected: ${name}`, async (t) => {
    const { create, directory } = await openedRuntime(t);
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
    const { create, runtime, statusOf } = await openedRuntime(t);
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

test("A container that is stopped while it starts leaves no process, and a second start is rejected", async (t) => {
  const { create, runtime, statusOf, sandboxId } = await openedRuntime(t);
  const id = await create({ command: ["sleep", "1000"] });
  const starting = [runtime.startContainer(id, signal), runtime.startContainer(id, signal), runtime.stopPodSandbox(sandboxId, signal)];
  const [first, second] = await Promise.allSettled(starting);
  assert.match(String(first?.status === "rejected" && first.reason), /was stopped while it started/);
  assert.match(String(second?.status === "rejected" && second.reason), /was started before/);
  assert.equal((await statusOf(id)).state, "exited");
  assert.deepEqual(await markedProcesses(`COXSWAIN_CONTAINER_ID=${id}`), []);
});

test("Stats have the CPU time and the memory of all processes of a container", async (t) => {
  const { shell, runtime } = await openedRuntime(t);
  const id = await shell("i=0; while :; do i=$((i+1)); done");
  const used = async () => (await runtime.stats(signal)).containers.find((one) => one.id === id);
  assert(((await used())?.memoryWorkingSetBytes ?? 0) > 100_000);
  let cpu = 0;
  while (cpu === 0) cpu = (await used())?.cpuNanoseconds ?? 0;
  assert(cpu > 0);
  assert((await allProcesses()).length > 1);
});

test("Port forwarding connects to a port of this machine, and is refused where none listens", async (t) => {
  const { runtime, sandboxId } = await openedRuntime(t);
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  assert(address !== null && typeof address === "object");
  using connection = await runtime.portForward(sandboxId, address.port, signal);
  await connection.write(Buffer.from("hello"));
  connection.end();
  assert.equal(await readAll(connection.readable), "hello");
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(runtime.portForward(sandboxId, address.port, signal), { kind: "refused" });
});
