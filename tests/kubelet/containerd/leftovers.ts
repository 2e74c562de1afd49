/** What a container runtime has made on this machine: counted before and after, nothing may be left. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { mountPoints } from "@coxswain/kubelet";
import { cgroupRootOf } from "./cgroup-root.ts";

/** What of a containerd finds what belongs to it. */
export interface RunningContainerd {
  readonly folder: string;
  readonly socket: string;
}

export interface Leftovers {
  /** Shims and all that they have started. */
  readonly processes: readonly string[];
  readonly mounts: readonly string[];
  readonly cgroups: readonly string[];
  /** Ends of the Pods' networks on the node: one for each network namespace. */
  readonly interfaces: readonly string[];
  readonly addresses: readonly string[];
}

export function leftoversOf(containerd: RunningContainerd): Leftovers {
  const { folder, socket } = containerd;
  return {
    processes: processesOf(socket).map(({ command }) => command),
    mounts: mountsBelow(folder),
    cgroups: hierarchies().flatMap((top) => foldersNamed(top, cgroupRootOf(containerd))),
    interfaces: lines("/proc/net/dev").flatMap((line) => /^\s*(veth\w+):/.exec(line)?.[1] ?? []),
    addresses: entries(join(folder, "addresses", "pods")).filter((name) => /^\d/.test(name)),
  };
}

/** As they are wanted, or what is left once nothing more goes away. */
export async function settledLeftovers(containerd: RunningContainerd, wanted: Leftovers | undefined): Promise<Leftovers> {
  for (let tries = 0; ; tries++) {
    const left = leftoversOf(containerd);
    if (tries === 100 || JSON.stringify(left) === JSON.stringify(wanted)) return left;
    await delay(100);
  }
}

export function processesOf(socket: string): { readonly pid: number; readonly command: string }[] {
  const all = entries("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const [, state = "", parent = ""] = /^\d+ \(.*\) (\S) (\d+)/s.exec(text(`/proc/${name}/stat`)) ?? [];
      const command = text(`/proc/${name}/cmdline`).replaceAll("\0", " ").trim();
      // Ended, but not yet looked after: nothing that would stay.
      return parent === "" || state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent), command }];
    });
  const found = new Set(all.filter(({ command }) => command.includes("containerd-shim") && command.includes(socket)).map(({ pid }) => pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => found.has(pid));
}

export function unmountBelow(folder: string): void {
  for (const mount of mountsBelow(folder)) spawnSync("umount", ["--lazy", mount]);
}

/** What was mounted last first. */
const mountsBelow = (folder: string): readonly string[] =>
  mountPoints(text("/proc/self/mountinfo"), folder).filter((one) => one !== folder);

/** This process' own groups: containerd, its child, makes others in them. */
function hierarchies(): string[] {
  return lines("/proc/self/mountinfo").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    return after.startsWith("cgroup") ? [before.split(" ")[4] ?? ""] : [];
  });
}

function foldersNamed(folder: string, name: string, depth = 6): string[] {
  if (depth === 0) return [];
  return folders(folder).flatMap((one) => {
    const path = join(folder, one);
    return one === name ? [path, ...all(path)] : foldersNamed(path, name, depth - 1);
  });
}

function all(folder: string): string[] {
  return folders(folder).flatMap((one) => [join(folder, one), ...all(join(folder, one))]);
}

function folders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function text(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function lines(file: string): string[] {
  return text(file).split("\n");
}
