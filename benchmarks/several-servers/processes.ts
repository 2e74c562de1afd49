/** The processes of the run, and what they use. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { join } from "node:path";

/** Of one process, since it began. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly residentMb: number;
  /** The most that it has had. */
  readonly peakMb: number;
}

export interface Processes extends AsyncDisposable {
  /** Its log goes to a file of the folder. */
  start(name: string, command: string, args: readonly string[]): ChildProcess;
  usage(): Readonly<Record<string, Usage>>;
}

/** What all processes of the machine have used since it began, these and others. */
export function machineCpuSeconds(): number {
  const [, user, nice, system, , , irq, softirq] = readFileSync("/proc/stat", "utf8").split(/\s+/, 9).map(Number);
  return [user, nice, system, irq, softirq].reduce<number>((sum, ticks) => sum + (ticks ?? 0), 0) / ticksPerSecond;
}

const ticksPerSecond = 100;
const stopMs = 10_000;

export function createProcesses(folder: string): Processes {
  const running = new Map<string, ChildProcess>();
  // Nothing goes on without this process, however it ends.
  const killAll = (): void => {
    for (const child of running.values()) child.kill("SIGKILL");
  };
  process.once("exit", killAll);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  return {
    start(name, command, args) {
      const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
      const log = createWriteStream(join(folder, `${name}.log`));
      child.stdout.pipe(log, { end: false });
      child.stderr.pipe(log, { end: false });
      running.set(name, child);
      return child;
    },
    usage: () => Object.fromEntries([...running].map(([name, { pid = 0 }]) => [name, usageOf(pid)])),
    async [Symbol.asyncDispose]() {
      // What relies on another goes first.
      for (const child of [...running.values()].reverse()) await stop(child);
      process.off("exit", killAll);
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await ended;
  clearTimeout(timer);
}

/** @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function usageOf(pid: number): Usage {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13);
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string): number => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024);
  return {
    cpuSeconds: (Number(user) + Number(system)) / ticksPerSecond,
    residentMb: megabytes("VmRSS"),
    peakMb: megabytes("VmHWM"),
  };
}
