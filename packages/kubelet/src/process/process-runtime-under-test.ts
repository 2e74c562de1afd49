/** A process runtime in a folder of its own, with a sandbox to start containers in, for tests. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { systemClock, systemRandom } from "@coxswain/machinery";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ContainerConfig } from "../runtime/runtime-config.ts";
import { containerConfig, sandboxConfig } from "../simulated/simulated-under-test.ts";
import { markedProcesses } from "./process-identity.ts";
import { openProcessRuntime } from "./process-runtime.ts";

const { signal } = new AbortController();
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The files and processes are removed at the end of the test. @param present a directory that another runtime has left; without it a new one is made */
export async function openedRuntime(t: TestContext, present?: string) {
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

export async function readAll(stream: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  let read = "";
  for await (const chunk of stream ?? []) read += text(chunk);
  return read;
}
