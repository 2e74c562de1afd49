/** Paths that a Pod names below a directory of its own: no symbolic link in them may lead out of it. */
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { join, normalize, relative, sep } from "node:path";
import { readRegular } from "../files/open-regular.ts";

/** Of a file that a Pod names. */
const maxReadBytes = 1 << 20;

/** Opens a place and nothing of what is there. Linux has it, Node does not name it. */
const pathOnly = 0o10000000;
/** Descriptors stand for what they have open, whatever becomes of its name. */
const descriptors = "/proc/self/fd";

/** Where a relative path ends once its links are followed. @throws Error when that is outside */
export async function realPathInside(base: string, path: string): Promise<string> {
  const realBase = await realpath(base);
  const real = await realpath(join(realBase, path));
  if (!isInside(realBase, real)) throw new Error(`${JSON.stringify(path)} leads out of its volume`);
  return real;
}

/** @throws Error for what is no regular file, and for one of more than a mebibyte */
export async function readInside(base: string, path: string): Promise<string> {
  return await readRegular(await realPathInside(base, normalize(path)), maxReadBytes);
}

/**
 * Makes what is missing of the directories of a path and holds its end open, so that no process can put a link in its place
 * before it is used. @throws Error when a link leads out
 */
export async function openInside(base: string, path: string, mode: number): Promise<FileHandle> {
  const realBase = await realpath(base);
  const { real, missing } = await existingPart(realBase, path);
  if (!isInside(realBase, real)) throw new Error(`${JSON.stringify(path)} leads out of its volume`);
  const existing = relative(realBase, real)
    .split(sep)
    .filter((part) => part !== "");
  let current = await open(realBase, pathOnly | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  try {
    for (const [index, part] of [...existing, ...missing].entries()) {
      const next = `${descriptors}/${current.fd}/${part}`;
      if (index >= existing.length) await makeDirectory(next, mode);
      const opened = await openPlace(next);
      await current.close();
      current = opened;
      if ((await current.stat()).isSymbolicLink()) throw new Error(`${JSON.stringify(path)} was made a link while it was opened`);
    }
    return current;
  } catch (error) {
    await current.close();
    throw error;
  }
}

/** Holds what is at a path, without reading or following it: links themselves. */
export const openPlace = (path: string): Promise<FileHandle> => open(path, pathOnly | constants.O_NOFOLLOW);

/** As other processes find what a handle has open. */
export const pathOfHandle = (handle: FileHandle): string => `/proc/${process.pid}/fd/${handle.fd}`;

const isInside = (base: string, path: string): boolean => path === base || path.startsWith(base.endsWith(sep) ? base : base + sep);

/** The longest part of the path that is there, with its links followed, and the names after it. */
async function existingPart(base: string, path: string): Promise<{ readonly real: string; readonly missing: readonly string[] }> {
  const parts = normalize(path)
    .split(sep)
    .filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new Error(`${JSON.stringify(path)} leads out of its volume`);
  for (let count = parts.length; ; count--) {
    try {
      return { real: await realpath(join(base, ...parts.slice(0, count))), missing: parts.slice(count) };
    } catch (error) {
      if (count === 0 || !(error instanceof Error) || !("code" in error) || error.code !== "ENOENT") throw error;
    }
  }
}

async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EEXIST") throw error;
    return;
  }
  // The process may not want others to have what the volume gives them.
  const made = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  try {
    await made.chmod(mode);
  } finally {
    await made.close();
  }
}
