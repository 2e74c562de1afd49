/**
 * Gives a volume to the group of a Pod.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/security-context/#configure-volume-permission-and-ownership-change-policy-for-pods
 */
import { chmod, chown, type FileHandle, lchown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { openPlace, pathOfHandle } from "./inside.ts";

export interface Ownership {
  readonly group: number;
  readonly readOnly: boolean;
  /** Whether it is enough to look at the top. */
  readonly onRootMismatch: boolean;
}

const readWrite = 0o660;
const readOnlyBits = 0o440;
const enter = 0o110;
const setGroup = 0o2000;

export async function giveToGroup(path: string, ownership: Ownership): Promise<void> {
  if (ownership.onRootMismatch && !(await isMismatch(path, ownership))) return;
  await give(path, ownership);
}

/** The directory itself comes last: once it is right, all of it is. */
async function give(path: string, ownership: Ownership): Promise<void> {
  const found = await lstat(path);
  if (found.isSymbolicLink()) return void (await isAllowed(lchown(path, -1, ownership.group)));
  await using held = await hold(path);
  // What is held stays the same file, whatever a container that has the volume puts in its place.
  const here = held === undefined ? path : pathOfHandle(held);
  const now = (await held?.stat()) ?? found;
  // A link that has come since: whoever made it gave away what was there.
  if (now.isSymbolicLink()) return;
  if (now.isDirectory()) for (const name of await readdir(here)) await giveEntry(join(here, name), ownership);
  if (await isAllowed(chown(here, -1, ownership.group))) await chmod(here, (now.mode & 0o7777) | bitsFor(ownership, now.isDirectory()));
}

/** A container may delete what it has while this goes on. */
async function giveEntry(path: string, ownership: Ownership): Promise<void> {
  try {
    await give(path, ownership);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

/** Undefined where the system has no descriptors of places. */
const hold = async (path: string): Promise<FileHandle | undefined> => (process.platform === "linux" ? await openPlace(path) : undefined);

/** Who does not run as root cannot give away what is his; his containers cannot be of another group either. */
export async function isAllowed(change: Promise<void>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EPERM") return false;
    throw error;
  }
}

const bitsFor = ({ readOnly }: Ownership, directory: boolean): number =>
  (readOnly ? readOnlyBits : readWrite) | (directory ? enter | setGroup : 0);

async function isMismatch(path: string, ownership: Ownership): Promise<boolean> {
  const found = await lstat(path);
  const wanted = bitsFor(ownership, true);
  return !found.isDirectory() || found.gid !== ownership.group || (found.mode & wanted) !== wanted;
}
