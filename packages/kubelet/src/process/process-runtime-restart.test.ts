import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { containerConfig, sandboxConfig } from "../simulated/simulated-under-test.ts";
import { markedProcesses } from "./process-identity.ts";
import { openProcessRuntime } from "./process-runtime.ts";
import { openedRuntime } from "./process-runtime-under-test.ts";

const { signal } = new AbortController();

test("A restarted kubelet finds running processes as they were, and the exit codes of those that ended meanwhile", async (t) => {
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
  const { runtime, statusOf, ended, logs } = await openedRuntime(t, directory);
  assert.equal((await statusOf(long)).state, "running");
  assert.equal((await ended(short)).exitCode, 6);
  const { exitCode } = await runtime.execSync(long, ["sh", "-c", "echo > go"], 0, signal);
  assert.equal(exitCode, 0);
  assert.equal((await ended(long)).exitCode, 9);
  assert.deepEqual(await logs(long), ["stdout before", "stdout after"]);
});

/** A kubelet that created a container and died before it recorded more, and a restarted one; `leave` makes what the first one left behind. */
async function restarted(t: TestContext, leave: (directory: string, id: string) => Promise<void>) {
  const directory = await mkdtemp(join(tmpdir(), "coxswain-process-"));
  const first = await openProcessRuntime({ directory, clock: systemClock, random: systemRandom, podIps: [] });
  const sandbox = { ...sandboxConfig(), logDirectory: join(directory, "logs") };
  const sandboxId = await first.runPodSandbox(sandbox, signal);
  const id = await first.createContainer(sandboxId, containerConfig({ command: ["sleep", "1000"] }), sandbox, signal);
  await first[Symbol.asyncDispose]();
  await leave(join(directory, "containers", id), id);
  return { id, ...(await openedRuntime(t, directory)) };
}

test("A command that ended before its start was recorded is exited for a restarted kubelet, and cannot start again", async (t) => {
  const { id, ended, runtime } = await restarted(t, async (directory) => {
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

test("A shim that was about to start a command when its kubelet died is killed by the restarted kubelet", {
  skip: process.platform !== "linux",
}, async (t) => {
  const { id, statusOf, runtime } = await restarted(t, async (_directory, name) => {
    const shim = spawn("sleep", ["1000"], { env: { ...process.env, COXSWAIN_CONTAINER_ID: name }, detached: true, stdio: "ignore" });
    await once(shim, "spawn");
    await waitUntil(`a process of ${name}`, async () => (await markedProcesses(`COXSWAIN_CONTAINER_ID=${name}`)).length > 0);
  });
  assert.deepEqual(await markedProcesses(`COXSWAIN_CONTAINER_ID=${id}`), []);
  assert.equal((await statusOf(id)).state, "created");
  await runtime.startContainer(id, signal);
  assert.equal((await statusOf(id)).state, "running");
});

/** What a container that runs as another user could put into its own directory. */
const forged: readonly { name: string; forge(directory: string, id: string, others: number): Promise<void> }[] = [
  {
    name: "a record of its own, which names a log and a process of others",
    async forge(directory, id, others) {
      const kept = JSON.parse(await readFile(join(directory, "..", "..", "records", `${id}.json`), "utf8"));
      const started = { at: 1, group: others, identity: "", pid: others };
      const status = { ...kept.status, logPath: join(directory, "..", "stolen.log") };
      await writeFile(join(directory, "state.json"), JSON.stringify({ ...kept, status, started }));
    },
  },
  { name: "a number of another's process", forge: (directory, _id, others) => writeFile(join(directory, "pid"), `${others}\n`) },
  {
    name: "pipes in the place of its files",
    forge: async (directory) => void execFileSync("mkfifo", [join(directory, "pid"), join(directory, "exit")]),
  },
];

for (const { name, forge } of forged)
  test(`A restarted kubelet believes nothing that a container left behind: ${name}`, { skip: process.platform !== "linux" }, async (t) => {
    const others = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    t.after(() => others.kill("SIGKILL"));
    await once(others, "spawn");
    const { id, directory, statusOf, runtime } = await restarted(t, (left, name) => forge(left, name, others.pid!));
    const status = await statusOf(id);
    assert.equal(status.logPath, join(directory, "logs", "main", "0.log"));
    await runtime.stopContainer(id, 0, signal);
    assert.equal(others.exitCode ?? others.signalCode, null, "another's process was ended");
    assert.deepEqual((await readdir(join(directory, "containers"))).sort(), [id]);
  });

test("A container whose user has put a link in the place of a pipe does not start, and what it leads to is not read", async (t) => {
  const { id, runtime, statusOf } = await restarted(t, async (left) => {
    await rm(join(left, "stdout"));
    await symlink("/dev/null", join(left, "stdout"));
  });
  await assert.rejects(runtime.startContainer(id, signal), /ELOOP/);
  assert.equal((await statusOf(id)).state, "exited");
});

test("A record of an earlier version is believed only in a directory that no other user owns", {
  skip: process.getuid?.() !== 0,
}, async (t) => {
  const toOld = async (directory: string, id: string): Promise<void> =>
    await rename(join(directory, "..", "..", "records", `${id}.json`), join(directory, "state.json"));
  const own = await restarted(t, toOld);
  assert.equal((await own.statusOf(own.id)).state, "created");
  const another = await restarted(t, async (directory, id) => {
    await toOld(directory, id);
    await chown(directory, 12345, 12345);
  });
  assert.deepEqual(await another.runtime.listContainers(signal), []);
});
