/** What containers of a node leave on a machine when nobody is there any more to stop them in order. */
import { readdirSync, readFileSync } from "node:fs";
import { mountPoints } from "@coxswain/kubelet";
import { identityOf, type ProcessIdentity } from "../../process/process-identity.ts";
import { runProgram } from "./run-program.ts";

/** The shims of a containerd, which know its socket, and all that they have started. */
export function containerProcesses(socket: string): readonly ProcessIdentity[] {
  const all = processes();
  const found = new Set(all.filter(({ command }) => isShimOf(command, socket)).map(({ pid }) => pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return [...found].flatMap((pid) => identityOf(pid) ?? []);
}

/** Whatever is mounted below a folder, what was mounted last first. @throws ProgramError */
export async function unmountBelow(folder: string): Promise<void> {
  const mounts = mountPoints(readFileSync("/proc/self/mountinfo", "utf8"), folder);
  for (const mount of mounts) if (mount !== folder) await runProgram(["umount", "--lazy", mount]);
}

interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly command: readonly string[];
}

const isShimOf = ([program = "", ...args]: readonly string[], socket: string): boolean =>
  program.includes("containerd-shim") && args.includes(socket);

function processes(): readonly Running[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      // Ended, but not yet looked after: nothing that would stay.
      if (state === "Z") return [];
      return [{ pid: Number(name), parent: Number(parent), command: readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0") }];
    } catch {
      // It ended while it was read.
      return [];
    }
  });
}
