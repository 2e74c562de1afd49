/** Mounts of the node, made and ended by the system's own commands. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** Mounts memory and directories on this machine. */
export interface Mounter {
  tmpfs(path: string, options: readonly string[]): Promise<void>;
  /** Of a directory or a file; the path of the source is taken as it is. */
  bind(source: string, target: string): Promise<void>;
  unmount(path: string): Promise<void>;
  /** Where something is mounted at this path or below it, innermost first. */
  mountsBelow(path: string): Promise<readonly string[]>;
}

const mountTable = "/proc/self/mountinfo";
const canAdminister = 21n;

/** Undefined where this process may not mount. */
export const mounterOfThisProcess = (): Mounter | undefined => (mayMount() ? systemMounter : undefined);

export const systemMounter: Mounter = {
  tmpfs: (path, options) => run("mount", ["-t", "tmpfs", ...(options.length === 0 ? [] : ["-o", options.join(",")]), "tmpfs", path]),
  bind: (source, target) => run("mount", ["--no-canonicalize", "--bind", source, target]),
  async unmount(path) {
    try {
      await run("umount", [path]);
    } catch {
      // A process still has files open there: the mount ends with it.
      await run("umount", ["--lazy", path]);
    }
  },
  async mountsBelow(path) {
    return mountPoints(await readFile(mountTable, "utf8"), path);
  },
};

/**
 * Where something is mounted at a path or below it, what was mounted last first.
 * @param table as `/proc/self/mountinfo` has it
 * @see https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 */
export const mountPoints = (table: string, path: string): readonly string[] =>
  table
    .split("\n")
    .map((line) => unescaped(line.split(" ")[4] ?? ""))
    .filter((point) => point === path || point.startsWith(`${path}/`))
    .reverse();

/** Spaces and the like stand there as octal numbers. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

function mayMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return ((BigInt(`0x${effective}`) >> canAdminister) & 1n) === 1n;
}

function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(command, [...args], { env: { ...process.env, LC_ALL: "C" } }, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`${command} failed: ${stderr.trim() || error.message}`, { cause: error }));
    });
  });
}
