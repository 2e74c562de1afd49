/** One container: a process with its children in a group of their own. */
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { type Clock, messageOf, sleep } from "@coxswain/machinery";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import { inRoot, makeWorkingDirectory, writeState } from "./container-directory.ts";
import { type ContainerRecord, type Ended, markerVariable } from "./container-record.ts";
import { readNumber } from "./left-by-container.ts";
import { OutputRecorder } from "./output-recorder.ts";
import { markedProcesses, processFacts, signalTo } from "./process-identity.ts";
import { isExecutable, onPath } from "./pty.ts";
import { files, startShim } from "./shim.ts";

export interface ProcessContainerOptions {
  readonly directory: string;
  /** Where what is known of it is kept. */
  readonly recordFile: string;
  readonly record: ContainerRecord;
  readonly clock: Clock;
  readonly changed: () => void;
}

/** So often a process that an earlier kubelet started is checked, whose end is not reported to this one. */
const watchMs = 1_000;
const maxRounds = 100;
const roundMs = 10;

export class ProcessContainer {
  readonly directory: string;
  readonly output: OutputRecorder;
  readonly #recordFile: string;
  readonly #clock: Clock;
  readonly #changed: () => void;
  #record: ContainerRecord;
  readonly #ended = Promise.withResolvers<void>();
  readonly #letGo = new AbortController();
  readonly #beside = new Set<ChildProcess>();
  #isStarting = false;

  constructor({ directory, recordFile, record, clock, changed }: ProcessContainerOptions) {
    this.directory = directory;
    this.#recordFile = recordFile;
    this.#record = record;
    this.#clock = clock;
    this.#changed = changed;
    this.output = new OutputRecorder(record.status.logPath, clock);
    if (record.ended !== undefined) this.#ended.resolve();
  }

  get record(): ContainerRecord {
    return this.#record;
  }

  get root(): string {
    return join(this.directory, "root");
  }

  get cwd(): string {
    return inRoot(this.root, this.#record.workingDir);
  }

  get isRunning(): boolean {
    return this.#record.started !== undefined && this.#record.ended === undefined;
  }

  /** Resolves when it has ended and everything that it wrote is in its log. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get status(): ContainerStatus {
    const { status, started, ended } = this.#record;
    return {
      ...status,
      state: ended !== undefined ? "exited" : started !== undefined ? "running" : "created",
      startedAt: started?.at ?? 0,
      finishedAt: ended?.at ?? 0,
      exitCode: ended?.exitCode ?? 0,
      reason: ended?.reason ?? "",
      message: ended?.message ?? "",
    };
  }

  /** @throws RuntimeError after which it has ended with `StartError` */
  async start(): Promise<void> {
    const { command, env, stdin, tty, user, started, ended, status } = this.#record;
    if (this.#isStarting || started !== undefined || ended !== undefined)
      throw new RuntimeError("unknown", `container ${status.id} was started before`);
    this.#isStarting = true;
    try {
      await makeWorkingDirectory(this.root, this.#record.workingDir);
      await this.#checkCommand();
      await this.output.start(this.directory);
      const { shim, pid } = await startShim({ directory: this.directory, cwd: this.cwd, command, env, stdin, tty, user });
      const group = shim.pid ?? 0;
      const identity = (await processFacts(group))?.started ?? "";
      // It was ended already.
      if (this.#record.ended !== undefined) {
        signalTo(-group, "SIGKILL");
        await this.#killMarked();
        throw new RuntimeError("unknown", `container ${status.id} was stopped while it started`);
      }
      await this.#save({ started: { at: this.#clock.now(), group, identity, pid } }).catch((error: unknown) => {
        signalTo(-group, "SIGKILL");
        throw error;
      });
      const conclude = () => void this.#conclude(group);
      if (shim.exitCode === null && shim.signalCode === null) shim.once("exit", conclude);
      else conclude();
      this.#changed();
    } catch (error) {
      const message = messageOf(error);
      this.output.letGo();
      if (this.#record.ended === undefined) await this.#end({ at: this.#clock.now(), exitCode: 128, reason: "StartError", message });
      throw error instanceof RuntimeError ? error : new RuntimeError("unknown", message, { cause: error });
    }
  }

  /** After a restart of the kubelet: it may have ended, or never have been started quite. */
  async recover(): Promise<void> {
    const { started, ended } = this.#record;
    if (ended !== undefined) return;
    if (started === undefined) {
      const begun = await this.#begun();
      if (begun === undefined) return;
      await this.#save({ started: begun });
    }
    try {
      await this.output.start(this.directory);
    } catch (error) {
      // Its user has put something else in the place of a pipe: it cannot go on without anybody who reads what it writes.
      await this.#killMarked();
      return await this.#end({ at: this.#clock.now(), exitCode: 137, reason: "ContainerStatusUnknown", message: messageOf(error) });
    }
    void this.#watch();
  }

  /** Whether it was started without a note of it. What has not come to its command by now never does. */
  async #begun(): Promise<ContainerRecord["started"]> {
    const path = join(this.directory, files.pid);
    let noted = await readNumber(path);
    if (noted === undefined) {
      await this.#killMarked();
      noted = await readNumber(path);
    }
    if (noted === undefined) return undefined;
    const { number: pid, at } = noted;
    // Its user can write there what he likes: the number counts only where its process is the container's.
    const facts = (await this.owns(pid)) ? await processFacts(pid) : undefined;
    const group = facts?.group ?? (await this.#shim()) ?? 0;
    return { at, group, identity: (await processFacts(group))?.started ?? "", pid };
  }

  /** Whether it has started that process. Where the system does not show whose a process is, its word is taken. */
  async owns(pid: number): Promise<boolean> {
    return process.platform !== "linux" || (await markedProcesses(this.#marker)).includes(pid);
  }

  get #marker(): string {
    return `${markerVariable}=${this.#record.status.id}`;
  }

  /** Which leads its group. It goes on for a moment when what it waits for has ended. */
  async #shim(): Promise<number | undefined> {
    for (const pid of await markedProcesses(this.#marker)) if ((await processFacts(pid))?.group === pid) return pid;
    return undefined;
  }

  /** Resolves when it has ended. */
  async stop(graceSeconds: number, signal: AbortSignal): Promise<void> {
    if (!this.isRunning) return await this.kill();
    if (graceSeconds > 0) await this.#signal(signalNamed(this.#record.stopSignal));
    const over = new AbortController();
    const killing = sleep(this.#clock, graceSeconds * 1000, AbortSignal.any([signal, over.signal])).then(() => this.kill());
    try {
      await Promise.race([this.ended, killing]);
    } finally {
      over.abort();
      killing.catch(() => undefined);
    }
  }

  async kill(): Promise<void> {
    const { started, ended } = this.#record;
    if (ended !== undefined) return;
    if (started === undefined) return await this.#end({ at: this.#clock.now(), exitCode: 137, reason: "Error", message: "" });
    await this.#signal("SIGKILL");
    await this.ended;
  }

  /** Commands beside it end with it at the latest. */
  beside(child: ChildProcess): void {
    this.#beside.add(child);
    child.once("exit", () => void this.#beside.delete(child));
  }

  async resize(resources: ContainerRecord["status"]["resources"]): Promise<void> {
    await this.#save({ status: { ...this.#record.status, resources: { ...this.#record.status.resources, ...resources } } });
    this.#changed();
  }

  /** It goes on without this kubelet. */
  letGo(): void {
    this.#letGo.abort();
    if (this.isRunning) this.output.letGo();
  }

  /** Its process alone, as long as the number is its own. */
  async #signal(signal: NodeJS.Signals): Promise<void> {
    const { pid = 0, group } = this.#record.started ?? {};
    if ((await processFacts(pid))?.group === group) signalTo(pid, signal);
  }

  /** Only an image has a default for an empty command. */
  async #checkCommand(): Promise<void> {
    const { command, env, status } = this.#record;
    const [program] = command;
    if (program === undefined) {
      const why = "the process runtime has no images, so that a container must have a command";
      throw new RuntimeError("unknown", `no command specified for container ${JSON.stringify(status.name)}: ${why}`);
    }
    const found = program.includes("/")
      ? await isExecutable(join(program.startsWith("/") ? "" : this.cwd, program))
      : await onPath(program, env.PATH ?? "");
    if (found === true || typeof found === "string") return;
    const why = program.includes("/") ? `stat ${program}: no such file or directory` : "executable file not found in $PATH";
    throw new RuntimeError("unknown", `unable to start container process: exec: ${JSON.stringify(program)}: ${why}`);
  }

  async #watch(): Promise<void> {
    const { signal } = this.#letGo;
    while (!signal.aborted && (await this.#isAlive())) await sleep(this.#clock, watchMs, signal).catch(() => undefined);
    await this.#conclude(undefined);
  }

  /** Another process may have its number by now. */
  async #isAlive(): Promise<boolean> {
    const { group = 0, identity } = this.#record.started ?? {};
    return (await processFacts(group))?.started === identity;
  }

  /** The shim is gone: what is left goes too. Its group is named only while its number cannot be another's yet. */
  async #conclude(group: number | undefined): Promise<void> {
    if (this.#letGo.signal.aborted) return;
    if (group !== undefined) signalTo(-group, "SIGKILL");
    for (const { pid } of this.#beside) if (pid !== undefined) signalTo(-pid, "SIGKILL");
    await this.#killMarked();
    await this.output.finish();
    const noted = await readNumber(join(this.directory, files.exit));
    if (noted === undefined) {
      const message = "The process that watched over it was killed";
      return await this.#end({ at: this.#clock.now(), exitCode: 137, reason: "ContainerStatusUnknown", message });
    }
    const { number: code, at } = noted;
    await this.#end({ at, exitCode: code, reason: code === 0 ? "Completed" : "Error", message: "" });
  }

  /** Until none is there: dying takes a moment, and who is not dead yet may start another. */
  async #killMarked(): Promise<void> {
    for (let round = 0; round < maxRounds; round++) {
      const pids = await markedProcesses(this.#marker);
      if (pids.length === 0) return;
      for (const pid of pids) signalTo(pid, "SIGKILL");
      await sleep(this.#clock, roundMs);
    }
  }

  async #end(ended: Ended): Promise<void> {
    // A disk that is full does not keep it from being over; a new kubelet finds the same out again.
    await this.#save({ ended }).catch(() => undefined);
    this.#record = { ...this.#record, ended };
    this.#ended.resolve();
    this.#changed();
  }

  async #save(change: Partial<ContainerRecord>): Promise<void> {
    this.#record = { ...this.#record, ...change };
    await writeState(this.#recordFile, this.#record);
  }
}

function signalNamed(name: string): NodeJS.Signals {
  const known: Readonly<Record<string, number>> = constants.signals;
  return name !== "" && Object.hasOwn(known, name) ? (name as NodeJS.Signals) : "SIGTERM";
}
