/**
 * What a container has on disk: its pipes, and `root`, in which it starts and in which its volumes are found at the paths
 * that the Pod gives them. All of it is the container's user's; what is recorded of it stands elsewhere.
 */
import { execFile } from "node:child_process";
import { chmod, chown, lstat, mkdir, readdir, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { readRegular } from "../files/open-regular.ts";
import type { ContainerConfig, Mount } from "../runtime/runtime-config.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import { files } from "./shim.ts";

const run = promisify(execFile);

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export async function makeContainerDirectory(directory: string, { mounts }: ContainerConfig, owner: Owner | undefined): Promise<void> {
  const root = join(directory, "root");
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const mount of mounts.toSorted((a, b) => (a.containerPath < b.containerPath ? -1 : 1))) await link(root, mount);
  await mkdir(join(root, "tmp"), { recursive: true });
  const pipes = [files.stdout, files.stderr, files.stdin, files.control].map((name) => join(directory, name));
  await run("mkfifo", ["-m", "600", ...pipes]);
  if (owner === undefined) return;
  for (const path of [directory, root, join(root, "tmp"), ...pipes]) await chown(path, owner.uid, owner.gid);
}

async function link(root: string, { containerPath, hostPath }: Mount): Promise<void> {
  const path = inRoot(root, containerPath);
  if (path === root) throw new RuntimeError("refused", "the process runtime cannot mount a volume over everything");
  for (let above = dirname(path); above !== root; above = dirname(above)) {
    const stats = await lstat(above).catch(() => undefined);
    if (stats?.isSymbolicLink() === true) {
      throw new RuntimeError("refused", `the process runtime cannot mount ${containerPath} inside another volume`);
    }
  }
  await mkdir(dirname(path), { recursive: true });
  await symlink(hostPath, path);
}

/** Makes the directory in which a container starts. @throws RuntimeError where a link in a volume, which containers make, leads out of it */
export async function makeWorkingDirectory(root: string, path: string): Promise<void> {
  const parts = relative(root, inRoot(root, path)).split(sep);
  for (let depth = 1; depth <= parts.length; depth++) {
    const above = join(root, ...parts.slice(0, depth));
    const stats = await lstat(above).catch(() => undefined);
    if (stats?.isSymbolicLink() === true) return makeInVolume(await realpath(above), parts.slice(depth));
    if (stats === undefined) await mkdir(above);
  }
}

async function makeInVolume(volume: string, parts: readonly string[]): Promise<void> {
  for (let there = parts.length; there >= 0; there--) {
    const real = await realpath(join(volume, ...parts.slice(0, there))).catch(() => undefined);
    if (real === undefined) continue;
    if (real !== volume && !real.startsWith(volume + sep)) throw new RuntimeError("refused", `${parts.join(sep)} leads out of its volume`);
    await mkdir(join(real, ...parts.slice(there)), { recursive: true });
    return;
  }
}

/** Whatever the path says, it stays inside. */
export const inRoot = (root: string, path: string): string => join(root, join("/", path));

/** All of it or nothing, whenever this process dies. */
export async function writeState(path: string, state: object): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Far more than a container's configuration takes. */
const maxStateBytes = 16 << 20;

/** Undefined for what is not there, or was never finished. */
export async function readState(path: string): Promise<unknown> {
  const text = await readRegular(path, maxStateBytes).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const names = (directory: string): Promise<readonly string[]> => readdir(directory).catch(() => []);

/** Also what it has made unwritable. What its volumes hold is behind links, and stays. */
export async function removeDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 2 }).catch(async () => {
    await makeWritable(directory);
    await rm(directory, { recursive: true, force: true, maxRetries: 2 });
  });
}

async function makeWritable(directory: string): Promise<void> {
  await chmod(directory, 0o700);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(directory, entry.name));
  }
}
