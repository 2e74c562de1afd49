/** How much a machine has left. */
import type { FileSystemUsage, NodeUsage } from "../stats/node-usage.ts";
import type { Level, Levels, Signal } from "./thresholds.ts";

/** Images and writable layers count as being on the node's own file system. */
export function levelsOf({ memoryAvailableBytes, fs, processes }: NodeUsage, memoryBytes: number): Levels {
  const levels = new Map<Signal, Level>([["memory.available", { available: memoryAvailableBytes, capacity: memoryBytes }]]);
  const addFs = (usage: FileSystemUsage | undefined, bytes: Signal, inodes: Signal): void => {
    if (usage === undefined) return;
    levels.set(bytes, { available: usage.availableBytes, capacity: usage.capacityBytes });
    // Some file systems make inodes as they need them, and report none.
    if (usage.inodes > 0) levels.set(inodes, { available: usage.inodesFree, capacity: usage.inodes });
  };
  addFs(fs, "nodefs.available", "nodefs.inodesFree");
  addFs(fs, "imagefs.available", "imagefs.inodesFree");
  if (processes !== undefined) levels.set("pid.available", { available: processes.most - processes.running, capacity: processes.most });
  return levels;
}
