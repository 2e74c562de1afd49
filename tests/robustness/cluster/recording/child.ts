/** A program that faults happen to: it is killed, stands still, and is started again with the same arguments. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";

export interface ChildOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it prints is added to this file. */
  readonly logFile: string;
  /** Whether it serves. */
  readonly isReady: () => Promise<boolean>;
}

/** However loaded the machine is, by then a process serves, or never will. */
const startMs = 60_000;

export class Child implements AsyncDisposable {
  readonly name: string;
  readonly #options: ChildOptions;
  #process: ChildProcess | undefined;
  /** How often it has ended without being killed here. */
  failures = 0;

  constructor(options: ChildOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get isRunning(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  spawn(): void {
    const { program, args, env, logFile } = this.#options;
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => appendFileSync(logFile, chunk));
    child.once("exit", (code, signal) => {
      appendFileSync(logFile, `-- ended with ${code ?? signal}\n`);
      if (signal !== "SIGKILL") this.failures++;
    });
    this.#process = child;
  }

  /** Whatever has happened to it, it runs. @throws Error when it does not serve */
  async run(): Promise<void> {
    const end = performance.now() + startMs;
    this.resume();
    while (!(await this.#options.isReady())) {
      if (!this.isRunning) this.spawn();
      if (performance.now() > end) throw new Error(`${this.name} does not serve; see ${this.#options.logFile}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || !this.isRunning) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) this.#process?.kill(signal);
  }

  pause(): void {
    this.signal("SIGSTOP");
  }

  resume(): void {
    this.signal("SIGCONT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
