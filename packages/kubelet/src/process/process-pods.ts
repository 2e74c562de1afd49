/** Sandboxes and containers, each a directory. */
import { lstat, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "@coxswain/machinery";
import type { ContainerConfig, SandboxConfig } from "../runtime/runtime-config.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { SandboxStatus } from "../runtime/runtime-status.ts";
import { makeContainerDirectory, names, readState, removeDirectory, writeState } from "./container-directory.ts";
import { isContainerRecord, isSandboxRecord, newRecord, type SandboxRecord } from "./container-record.ts";
import { ProcessContainer } from "./process-container.ts";
import type { ProcessRuntimeOptions } from "./process-runtime-options.ts";
import { refuseWhatCannotBe, userOf } from "./refusals.ts";

export class ProcessPods {
  readonly #options: ProcessRuntimeOptions & { readonly changed: (podUid: string) => void };
  readonly #sandboxes = new Map<string, SandboxRecord>();
  readonly #containers = new Map<string, ProcessContainer>();

  constructor(options: ProcessRuntimeOptions & { readonly changed: (podUid: string) => void }) {
    this.#options = options;
  }

  /** What an earlier kubelet has left. What it had not finished making is taken away. */
  async recover(): Promise<void> {
    await mkdir(this.#path("sandboxes"), { recursive: true, mode: 0o700 });
    await mkdir(this.#path("containers"), { recursive: true, mode: 0o700 });
    for (const name of await names(this.#path("sandboxes"))) {
      const record = await readState(this.#path("sandboxes", name));
      if (isSandboxRecord(record) && name === `${record.status.id}.json`) this.#sandboxes.set(record.status.id, record);
    }
    await mkdir(this.#path("records"), { recursive: true, mode: 0o700 });
    for (const id of await names(this.#path("containers"))) {
      const record = (await readState(this.#recordOf(id))) ?? (await this.#earlierRecord(id));
      if (isContainerRecord(record) && record.status.id === id) await this.#adopt(record).recover();
      else await this.#remove(id);
    }
    for (const file of await names(this.#path("records")))
      if (!this.#containers.has(file.replace(/\.json$/, ""))) await rm(this.#path("records", file), { force: true });
  }

  /** Records once stood beside what the container has: one is believed where no other user owns that directory. */
  async #earlierRecord(id: string): Promise<unknown> {
    const directory = this.#path("containers", id);
    return (await lstat(directory)).uid === process.getuid?.() ? await readState(join(directory, "state.json")) : undefined;
  }

  async runSandbox({ pod, attempt, labels, annotations, hostname, network }: SandboxConfig): Promise<string> {
    const { random, clock, podIps, changed } = this.#options;
    for (const { status } of this.#sandboxes.values()) {
      if (status.pod.uid === pod.uid && status.attempt === attempt && status.ready) return status.id;
    }
    const id = random.uuid().replaceAll("-", "");
    const ips = network === "node" ? [] : podIps;
    await this.#keep({ version: 1, hostname, status: { id, pod, attempt, ready: true, createdAt: clock.now(), ips, labels, annotations } });
    changed(pod.uid);
    return id;
  }

  async stopSandbox(id: string): Promise<void> {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox?.status.ready !== true) return;
    await Promise.all(this.#of(id).map((container) => container.kill()));
    await this.#keep({ ...sandbox, status: { ...sandbox.status, ready: false, ips: [] } });
    this.#options.changed(sandbox.status.pod.uid);
  }

  async removeSandbox(id: string): Promise<void> {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    await this.stopSandbox(id);
    for (const container of this.#of(id)) await this.removeContainer(container.record.status.id);
    await rm(this.#path("sandboxes", `${id}.json`), { force: true });
    this.#sandboxes.delete(id);
    this.#options.changed(sandbox.status.pod.uid);
  }

  sandboxes(podUid?: string): readonly SandboxStatus[] {
    const all = [...this.#sandboxes.values()].map(({ status }) => status);
    return podUid === undefined ? all : all.filter(({ pod }) => pod.uid === podUid);
  }

  async createContainer(sandboxId: string, config: ContainerConfig, sandbox: SandboxConfig): Promise<string> {
    const { random, clock, path = process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin", changed } = this.#options;
    const found = this.#sandboxes.get(sandboxId);
    if (found?.status.ready !== true) throw new RuntimeError("notFound", `sandbox ${JSON.stringify(sandboxId)} is not running`);
    refuseWhatCannotBe(config);
    const id = random.uuid().replaceAll("-", "");
    const directory = this.#path("containers", id);
    const record = newRecord({ id, sandboxId, config, sandbox, root: join(directory, "root"), now: clock.now(), path });
    try {
      await makeContainerDirectory(directory, config, userOf(config));
      await writeState(this.#recordOf(id), record);
    } catch (error) {
      await this.#remove(id).catch(() => undefined);
      throw error instanceof RuntimeError ? error : new RuntimeError("unknown", messageOf(error));
    }
    this.#adopt(record);
    changed(sandbox.pod.uid);
    return id;
  }

  async removeContainer(id: string): Promise<void> {
    const container = this.#containers.get(id);
    if (container === undefined) return;
    await container.kill();
    await this.#remove(id);
    this.#containers.delete(id);
    this.#options.changed(container.record.status.pod.uid);
  }

  containers(podUid?: string): readonly ProcessContainer[] {
    const all = [...this.#containers.values()];
    return podUid === undefined ? all : all.filter(({ record }) => record.status.pod.uid === podUid);
  }

  find(id: string): ProcessContainer | undefined {
    return this.#containers.get(id);
  }

  /** @throws RuntimeError `notFound` */
  container(id: string): ProcessContainer {
    const found = this.#containers.get(id);
    if (found === undefined) throw new RuntimeError("notFound", `container ${JSON.stringify(id)} is not there`);
    return found;
  }

  #of(sandboxId: string): readonly ProcessContainer[] {
    return this.containers().filter(({ record }) => record.status.sandboxId === sandboxId);
  }

  #adopt(record: ProcessContainer["record"]): ProcessContainer {
    const { clock, changed } = this.#options;
    const directory = this.#path("containers", record.status.id);
    const container = new ProcessContainer({
      directory,
      recordFile: this.#recordOf(record.status.id),
      record,
      clock,
      changed: () => changed(record.status.pod.uid),
    });
    this.#containers.set(record.status.id, container);
    return container;
  }

  async #keep(record: SandboxRecord): Promise<void> {
    await writeState(this.#path("sandboxes", `${record.status.id}.json`), record);
    this.#sandboxes.set(record.status.id, record);
  }

  /** What is known of a container outlives its directory. */
  async #remove(id: string): Promise<void> {
    await removeDirectory(this.#path("containers", id));
    await rm(this.#recordOf(id), { force: true });
  }

  /** Beside no directory of a container: one that runs as another user owns that, and could put there what it likes. */
  #recordOf(id: string): string {
    return this.#path("records", `${id}.json`);
  }

  #path(...parts: readonly string[]): string {
    return join(this.#options.directory, ...parts);
  }
}
