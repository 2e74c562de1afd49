/** How much this machine has left. */
import { readdir, readFile, statfs } from "node:fs/promises";
import { freemem, totalmem } from "node:os";
import type { Level, Levels, Signal } from "./thresholds.ts";

export interface FileSystems {
  /** Where Pods' volumes and logs are. */
  readonly node: string;
  /** Where images and writable layers are; undefined where the runtime has none. */
  readonly images: string | undefined;
}

export async function machineLevels({ node, images }: FileSystems): Promise<Levels> {
  const [memory, nodeFs, imageFs, pids] = await Promise.all([memoryLevel(), fsLevels(node), fsLevels(images ?? node), pidLevel()]);
  const levels = new Map<Signal, Level>([["memory.available", memory]]);
  if (nodeFs !== undefined) levels.set("nodefs.available", nodeFs.bytes).set("nodefs.inodesFree", nodeFs.inodes);
  if (imageFs !== undefined) levels.set("imagefs.available", imageFs.bytes).set("imagefs.inodesFree", imageFs.inodes);
  if (pids !== undefined) levels.set("pid.available", pids);
  return levels;
}

const textOf = (path: string): Promise<string | undefined> => readFile(path, "utf8").catch(() => undefined);

/** The kernel's own estimate of what can be had without swapping. */
async function memoryLevel(): Promise<Level> {
  const [, kib] = /^MemAvailable:\s+(\d+) kB$/m.exec((await textOf("/proc/meminfo")) ?? "") ?? [];
  return { available: kib === undefined ? freemem() : Number(kib) * 1024, capacity: totalmem() };
}

async function fsLevels(path: string): Promise<{ readonly bytes: Level; readonly inodes: Level } | undefined> {
  const stats = await statfs(path).catch(() => undefined);
  if (stats === undefined) return undefined;
  const { bavail, blocks, bsize, ffree, files } = stats;
  return { bytes: { available: bavail * bsize, capacity: blocks * bsize }, inodes: { available: ffree, capacity: files } };
}

async function pidLevel(): Promise<Level | undefined> {
  const most = await textOf("/proc/sys/kernel/pid_max");
  if (most === undefined) return undefined;
  const entries = await readdir("/proc").catch(() => []);
  const running = entries.filter((name) => /^\d+$/.test(name)).length;
  return { available: Number(most) - running, capacity: Number(most) };
}
