/**
 * Files of a volume that change all at once: they are links through `..data` into a directory that is replaced whole.
 * @see https://kubernetes.io/docs/concepts/configuration/configmap/#mounted-configmaps-are-updated-automatically
 */
import { chmod, lchown, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, normalize } from "node:path";
import { isAllowed } from "./ownership.ts";

export interface ProjectedFile {
  readonly data: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
  /** Default: who runs the kubelet. */
  readonly owner?: number | undefined;
}

/** By path in the volume. */
export type Payload = ReadonlyMap<string, ProjectedFile>;

const dataLink = "..data";
const nextDataLink = "..data_tmp";
const maxPathLength = 4096;
const maxNameLength = 255;

/**
 * Brings the files in the directory to what the payload says; when that is so already nothing is written.
 * `prepared` is called with all there is, before it can be seen. @throws Error in Kubernetes' words for a path that leads elsewhere
 */
export async function writeAtomically(directory: string, payload: Payload, now: number, prepared: () => Promise<void>): Promise<void> {
  const files = cleaned(payload);
  const before = await readlink(join(directory, dataLink)).catch(() => undefined);
  const old = before === undefined || basename(before) !== before ? undefined : join(directory, before);
  const removed = old === undefined ? [] : await pathsWithout(old, files);
  const isCurrent = old !== undefined && removed.length === 0 && (await hasAll(old, files));
  if (!isCurrent) await replaceData(directory, files, now, prepared);
  for (const path of new Set([...files.keys()].map(firstPart))) await linkTo(directory, path);
  // Only what stands at the top of the volume is a link.
  for (const path of removed) if (!path.includes("/")) await rm(join(directory, path), { force: true });
  if (!isCurrent) await removeOld(directory);
}

/** What was shown before, also by a writer that did not come to its end. */
async function removeOld(directory: string): Promise<void> {
  const current = await readlink(join(directory, dataLink));
  for (const name of await readdir(directory))
    if (stampShape.test(name) && name !== current) await rm(join(directory, name), { recursive: true, force: true });
}

async function replaceData(directory: string, files: Payload, now: number, prepared: () => Promise<void>): Promise<void> {
  const fresh = await mkdtemp(join(directory, stamp(now)));
  try {
    await chmod(fresh, 0o755);
    for (const [path, file] of files) await writeProjected(join(fresh, path), file);
    await prepared();
    await rm(join(directory, nextDataLink), { force: true });
    await symlink(basename(fresh), join(directory, nextDataLink));
    await rename(join(directory, nextDataLink), join(directory, dataLink));
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

async function writeProjected(path: string, { data, mode, owner }: ProjectedFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o777 });
  await writeFile(path, data, { mode });
  await chmod(path, mode);
  if (owner !== undefined) await isAllowed(lchown(path, owner, -1));
}

async function linkTo(directory: string, name: string): Promise<void> {
  const path = join(directory, name);
  if ((await lstat(path).catch(() => undefined)) === undefined) await symlink(join(dataLink, name), path);
}

/** Everything in the directory that the files do not need. */
async function pathsWithout(directory: string, files: Payload): Promise<readonly string[]> {
  const needed = new Set<string>();
  for (const path of files.keys()) for (let part = path; part !== "."; part = dirname(part)) needed.add(part);
  const found = await readdir(directory, { recursive: true }).catch(() => []);
  return found.filter((path) => !needed.has(path));
}

async function hasAll(directory: string, files: Payload): Promise<boolean> {
  for (const [path, { data }] of files) {
    const found = await readFile(join(directory, path)).catch(() => undefined);
    if (found === undefined || Buffer.compare(found, data) !== 0) return false;
  }
  return true;
}

function cleaned(payload: Payload): Payload {
  const files = new Map<string, ProjectedFile>();
  for (const [path, file] of payload) {
    checkPath(path);
    files.set(normalize(path).replace(/\/$/, ""), file);
  }
  return files;
}

function checkPath(path: string): void {
  if (path === "") throw new Error(`invalid path: must not be empty: ${JSON.stringify(path)}`);
  if (isAbsolute(path)) throw new Error(`invalid path: must be relative path: ${path}`);
  if (Buffer.byteLength(path) > maxPathLength) throw new Error(`invalid path: must be less than or equal to ${maxPathLength} characters`);
  const parts = path.split("/");
  for (const part of parts) {
    if (part === "..") throw new Error(`invalid path: must not contain '..': ${path}`);
    if (Buffer.byteLength(part) > maxNameLength)
      throw new Error(`invalid path: filenames must be less than or equal to ${maxNameLength} characters`);
  }
  if (parts[0]?.startsWith("..")) throw new Error(`invalid path: must not start with '..': ${path}`);
}

const firstPart = (path: string): string => path.split("/", 1)[0] ?? path;

const stampShape = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\./;

/** As in `..2026_01_02_03_04_05.`, UTC; something of the kernel's choice follows. */
const stamp = (now: number): string => `..${new Date(now).toISOString().slice(0, 19).replaceAll(/[-T:]/g, "_")}.`;
