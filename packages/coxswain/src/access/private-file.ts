/** Files that only their owner may read. */
import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PemStore } from "../pki/pem-store.ts";

/** Whom a file is for, where that is not who writes it. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Whoever reads meanwhile finds the old text or the new one, never a part. */
export const writePrivately = (path: string, text: string, owner?: Owner): void => writeWhole(path, text, { mode: 0o600, owner });

/** The same, for whom the file was for before; a new one is for its owner. */
export const replaceFile = (path: string, text: string): void =>
  writeWhole(path, text, { mode: (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777, flush: true });

interface Writing {
  readonly mode: number;
  readonly flush?: true;
  readonly owner?: Owner | undefined;
}

function writeWhole(path: string, text: string, { owner, ...options }: Writing): void {
  const next = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(next, text, { ...options, flag: "wx" });
    if (owner !== undefined) chownSync(next, owner.uid, owner.gid);
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** Undefined when there is no such file. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

/** @param owner who may read what is written; by default who writes it */
export function pemDirectory(path: string, owner?: Owner): PemStore {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return {
    directory: path,
    read: (name) => readIfThere(join(path, name)),
    write: (name, pem) => writePrivately(join(path, name), pem, owner),
  };
}

/** For what ends with the process. */
export function pemMemory(): PemStore {
  const pems = new Map<string, string>();
  return { read: (name) => pems.get(name), write: (name, pem) => void pems.set(name, pem) };
}
