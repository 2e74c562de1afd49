/** The life of one simulated container. Nothing of it costs a timer but what is due. */
import { type Clock, sleep, type Timer } from "@coxswain/machinery";
import type { ContainerConfig, LinuxResources, PodIdentity, SandboxConfig } from "../runtime/runtime-config.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import type { ContainerScript, SimulatedContainer } from "./script.ts";

export type ScriptOf = (container: SimulatedContainer) => ContainerScript;

export interface ContainerOptions {
  readonly id: string;
  readonly sandboxId: string;
  readonly imageRef: string;
  readonly config: ContainerConfig;
  readonly sandbox: SandboxConfig;
  readonly scriptOf: ScriptOf;
  readonly clock: Clock;
  /** Something about it is different now. Not a closure of its own for each: those keep what stands around them. */
  readonly changed: (podUid: string) => void;
}

export const killedCode = 137;
const never = Number.POSITIVE_INFINITY;

export class Container {
  readonly id: string;
  readonly script: ContainerScript;
  readonly #clock: Clock;
  readonly #changed: (podUid: string) => void;
  #status: ContainerStatus;
  #due: Timer | undefined;
  #asked: number | undefined;
  #endsAt = never;
  /** Few are ever waited for. */
  #waiting: Set<() => void> | undefined;

  constructor({ id, sandboxId, imageRef, config, sandbox, scriptOf, clock, changed }: ContainerOptions) {
    const { name, attempt, command, args, env, userImage, labels, annotations, mounts, logPath, resources } = config;
    this.id = id;
    this.#clock = clock;
    this.#changed = changed;
    this.script = scriptOf({ pod: sandbox.pod, annotations: sandbox.annotations, name, attempt, command, args, env, image: userImage });
    this.#status = {
      ...neverStarted,
      id,
      sandboxId,
      pod: sandbox.pod,
      name,
      attempt,
      state: "created",
      createdAt: clock.now(),
      image: userImage,
      imageRef,
      logPath: sandbox.logDirectory === "" ? "" : `${sandbox.logDirectory}/${logPath}`,
      labels,
      annotations,
      mounts: mounts.length === 0 ? none : mounts.map(({ containerPath, hostPath }) => ({ containerPath, hostPath })),
      resources,
    };
  }

  get status(): ContainerStatus {
    return this.#status;
  }

  get pod(): PodIdentity {
    return this.#status.pod;
  }

  get isRunning(): boolean {
    return this.#status.state === "running";
  }

  /** How long it has run, or ran. */
  get ranMs(): number {
    const { startedAt, finishedAt } = this.#status;
    if (startedAt === 0) return 0;
    return (finishedAt === 0 ? this.#clock.now() : finishedAt) - startedAt;
  }

  /** What a probe would see. */
  get health(): "down" | "booting" | "well" | "unwell" {
    if (!this.isRunning) return "down";
    const { readyMs = 0, unhealthyMs = never } = this.script;
    if (this.ranMs < readyMs) return "booting";
    return this.ranMs < unhealthyMs ? "well" : "unwell";
  }

  /** Resolves when it changes, or after so long. */
  next(signal: AbortSignal, withinMs = never): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const over = (settle: () => void) => () => {
        this.#waiting?.delete(onChange);
        signal.removeEventListener("abort", onAbort);
        timer?.[Symbol.dispose]();
        settle();
      };
      const onChange = over(resolve);
      const onAbort = over(() => reject(signal.reason));
      const timer = withinMs < never ? this.#clock.schedule(withinMs, onChange) : undefined;
      this.#waiting ??= new Set();
      this.#waiting.add(onChange);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  async ended(signal: AbortSignal): Promise<void> {
    while (this.#status.state !== "exited") await this.next(signal);
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#status.state !== "created") throw new RuntimeError("unknown", `container ${this.id} is ${this.#status.state}, not created`);
    const { startMs = 0, failStart } = this.script;
    if (startMs > 0) await sleep(this.#clock, startMs, signal);
    if (this.#status.state !== "created") throw new RuntimeError("unknown", `container ${this.id} was stopped while it started`);
    if (failStart !== undefined) {
      this.#end({ exitCode: 128, reason: "StartError", message: failStart });
      throw new RuntimeError("unknown", failStart);
    }
    this.#status = { ...this.#status, state: "running", startedAt: this.#clock.now() };
    this.#goOn();
  }

  /** Resolves when it has ended. */
  async stop(graceSeconds: number, signal: AbortSignal): Promise<void> {
    if (this.#status.state === "created") this.#end({ exitCode: killedCode, reason: "Error", message: "" });
    if (!this.isRunning) return;
    this.#asked ??= this.#clock.now();
    const { stopMs = 0, stopExitCode = 0 } = this.script;
    const now = this.#clock.now();
    const byItself = this.#asked + stopMs;
    const killed = now + graceSeconds * 1000;
    this.#endAt(Math.min(byItself, killed), byItself <= killed ? stopExitCode : killedCode);
    await this.ended(signal);
  }

  /** At once. */
  kill(): void {
    if (this.isRunning) this.#end({ exitCode: killedCode, reason: "Error", message: "" });
    else if (this.#status.state === "created") this.#due?.[Symbol.dispose]();
  }

  /** As its own process would, with this code. */
  exit(exitCode: number): void {
    if (this.isRunning) this.#end({ exitCode, reason: reasonOf(exitCode), message: "" });
  }

  resize(resources: LinuxResources): void {
    this.#status = { ...this.#status, resources: { ...this.#status.resources, ...resources } };
    this.#notify();
  }

  /** To the next moment at which it is not what it was. */
  #goOn(): void {
    const { readyMs = 0, unhealthyMs = never, runMs = never } = this.script;
    const ran = this.ranMs;
    if (ran >= runMs) {
      this.#endByItself();
      return;
    }
    const next = Math.min(readyMs > ran ? readyMs : never, unhealthyMs > ran ? unhealthyMs : never, runMs);
    if (next < never && this.#asked === undefined) this.#wait(next - ran, () => this.#goOn());
    this.#notify();
  }

  #endByItself(): void {
    const { exitReason, exitMessage = "", exitCode = exitReason === "OOMKilled" ? killedCode : 0 } = this.script;
    this.#end({ exitCode, reason: exitReason ?? reasonOf(exitCode), message: exitMessage });
  }

  /** Whoever asks again can only make it end sooner. */
  #endAt(at: number, exitCode: number): void {
    if (at >= this.#endsAt) return;
    this.#endsAt = at;
    const end = () => this.#end({ exitCode, reason: reasonOf(exitCode), message: "" });
    const left = at - this.#clock.now();
    if (left <= 0) end();
    else this.#wait(left, end);
  }

  #notify(): void {
    for (const wake of [...(this.#waiting ?? [])]) wake();
    this.#changed(this.pod.uid);
  }

  #wait(ms: number, then: () => void): void {
    this.#due?.[Symbol.dispose]();
    this.#due = this.#clock.schedule(ms, then);
  }

  #end(how: { readonly exitCode: number; readonly reason: string; readonly message: string }): void {
    this.#due?.[Symbol.dispose]();
    this.#due = undefined;
    this.#status = { ...this.#status, ...how, state: "exited", finishedAt: this.#clock.now() };
    this.#notify();
  }
}

const none: readonly never[] = [];
const neverStarted = { startedAt: 0, finishedAt: 0, exitCode: 0, reason: "", message: "" } as const;
const reasonOf = (exitCode: number): string => (exitCode === 0 ? "Completed" : "Error");
