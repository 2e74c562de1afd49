/** The control groups of a node's Pods. A runtime that is killed leaves them behind. */
import { readFileSync } from "node:fs";
import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@coxswain/machinery";
import { isMissing } from "../../access/private-file.ts";

/** Below what groups of Pods are made, for one node of a cluster: no other node has the same. */
export const nodeCgroupRoot = (cgroupRoot: string, id: string, node: string): string => `${cgroupRoot}${endOfName(id, node)}`;

const endOfName = (id: string, node: string): string => `-${id}-${node}`;

/** Groups are in those that the runtime was started in, which nobody knows later: all are looked through, not deeper than this. */
const maxDepth = 8;
/** What was killed leaves its groups a moment later. */
const retry = { times: 100, everyMs: 20 };

/** @throws Error for a group in which something still runs */
export async function removeNodeCgroups(id: string, node: string, clock: Clock): Promise<void> {
  const end = endOfName(id, node);
  for (const top of hierarchies(readFileSync("/proc/self/mountinfo", "utf8")))
    for (const folder of await foldersThatEnd(top, end, maxDepth)) await removeTree(folder, clock);
}

/** Where control groups are mounted. */
export const hierarchies = (mountinfo: string): readonly string[] =>
  mountinfo.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    return after.startsWith("cgroup") ? [before.split(" ")[4] ?? ""] : [];
  });

async function foldersThatEnd(folder: string, end: string, depth: number): Promise<readonly string[]> {
  if (depth === 0) return [];
  const found = (await folders(folder)).map(async (name) => {
    const path = join(folder, name);
    return name.endsWith(end) ? [path] : await foldersThatEnd(path, end, depth - 1);
  });
  return (await Promise.all(found)).flat();
}

async function removeTree(folder: string, clock: Clock): Promise<void> {
  for (const name of await folders(folder)) await removeTree(join(folder, name), clock);
  for (let times = retry.times; ; times--) {
    try {
      return await rmdir(folder);
    } catch (error) {
      if (isMissing(error)) return;
      if (times === 0) throw error;
    }
    await new Promise<void>((resolve) => void clock.schedule(retry.everyMs, resolve));
  }
}

/** None where the group is gone meanwhile. */
async function folders(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder, { withFileTypes: true })).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch (error) {
    if (isMissing(error) || (error instanceof Error && "code" in error && error.code === "ENODEV")) return [];
    throw error;
  }
}
