/** Starts two containers, says so, and stays until it is killed, for tests. */
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { containerConfig, sandboxConfig } from "../simulated/simulated-under-test.ts";
import { openProcessRuntime } from "./process-runtime.ts";

const [, , directory = ""] = process.argv;
const { signal } = new AbortController();
const runtime = await openProcessRuntime({ directory, clock: systemClock, random: systemRandom, podIps: [] });
const sandbox = { ...sandboxConfig({}, "kept"), logDirectory: join(directory, "logs") };
const sandboxId = await runtime.runPodSandbox(sandbox, signal);
const scripts = ["mkfifo go; read line < go; exit 6", "mkfifo go; echo before; read line < go; echo after; exit 9"];
const ids: string[] = [];
for (const [attempt, script] of scripts.entries()) {
  const config = containerConfig({ name: `c${attempt}`, command: ["/bin/sh", "-c", script], logPath: `${attempt}.log` });
  const id = await runtime.createContainer(sandboxId, config, sandbox, signal);
  await runtime.startContainer(id, signal);
  const ready = () =>
    access(join(directory, "containers", id, "root", "go")).then(
      () => true,
      () => false,
    );
  while (!(await ready()));
  ids.push(id);
}
// What a kubelet has read and not yet written dies with it; what is in the log stays.
while (!(await readFile(join(sandbox.logDirectory, "1.log"), "utf8")).includes("before"));
process.stdout.write(`${JSON.stringify(ids)}\n`);
systemClock.schedule(2 ** 31 - 1, () => undefined);
