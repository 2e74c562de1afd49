/** What a whole machine uses. Bytes. */
import { readdir, readFile, statfs } from "node:fs/promises";
import { freemem, totalmem } from "node:os";

export interface FileSystemUsage {
  readonly availableBytes: number;
  readonly capacityBytes: number;
  readonly inodesFree: number;
  readonly inodes: number;
}

/** What a whole machine uses: CPU time in nanoseconds, memory and disk in bytes. */
export interface NodeUsage {
  /** Since it was started, of all its processors. */
  readonly cpuNanoseconds: number;
  readonly memoryWorkingSetBytes: number;
  readonly memoryUsageBytes: number;
  readonly memoryAvailableBytes: number;
  /** Milliseconds since the epoch; 0 where it is unknown. */
  readonly startedAt: number;
  readonly fs: FileSystemUsage | undefined;
  readonly processes: { readonly running: number; readonly most: number } | undefined;
}

/** Of the machine itself; the file system is the one of the directory. */
export async function machineUsage(directory: string): Promise<NodeUsage> {
  const [stat, meminfo, fs, processes] = await Promise.all([
    textOf("/proc/stat"),
    textOf("/proc/meminfo"),
    fsUsage(directory),
    processUsage(),
  ]);
  const kib = (name: string): number | undefined => {
    const [, value] = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(meminfo) ?? [];
    return value === undefined ? undefined : Number(value) * 1024;
  };
  const total = totalmem();
  const free = kib("MemFree") ?? freemem();
  const inactive = kib("Inactive(file)".replace(/[()]/g, "\\$&")) ?? 0;
  const available = kib("MemAvailable") ?? free;
  const usage = total - free;
  const [, bootSeconds] = /^btime (\d+)$/m.exec(stat) ?? [];
  return {
    cpuNanoseconds: busyNanoseconds(stat),
    memoryWorkingSetBytes: Math.max(0, usage - inactive),
    memoryUsageBytes: usage,
    memoryAvailableBytes: available,
    startedAt: Number(bootSeconds ?? 0) * 1000,
    fs,
    processes,
  };
}

const textOf = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

/** The first line counts hundredths of seconds: user, nice, system, idle, waiting, interrupts, soft interrupts, stolen. */
function busyNanoseconds(stat: string): number {
  const [, line = ""] = /^cpu +([^ ].*)$/m.exec(stat) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = line.split(" ").map(Number);
  return (user + nice + system + irq + softIrq) * 10_000_000;
}

async function fsUsage(path: string): Promise<FileSystemUsage | undefined> {
  const stats = await statfs(path).catch(() => undefined);
  if (stats === undefined) return undefined;
  const { bavail, blocks, bsize, ffree, files } = stats;
  return { availableBytes: bavail * bsize, capacityBytes: blocks * bsize, inodesFree: ffree, inodes: files };
}

async function processUsage(): Promise<NodeUsage["processes"]> {
  const most = await textOf("/proc/sys/kernel/pid_max");
  if (most === "") return undefined;
  const entries = await readdir("/proc").catch(() => []);
  return { running: entries.filter((name) => /^\d+$/.test(name)).length, most: Number(most) };
}
