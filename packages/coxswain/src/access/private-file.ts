/** Files that only their owner may read. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PemStore } from "../pki/pem-store.ts";

/** Whoever reads meanwhile finds the old text or the new one, never a part. */
export const writePrivately = (path: string, text: string): void => writeWhole(path, text, { mode: 0o600 });

/** The same, for whom the file was for before; a new one is for its owner. */
export const replaceFile = (path: string, text: string): void =>
  writeWhole(path, text, { mode: (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777, flush: true });

function writeWhole(path: string, text: string, options: { readonly mode: number; readonly flush?: true }): void {
  const next = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(next, text, { ...options, flag: "wx" });
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

export function pemDirectory(path: string): PemStore {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return { directory: path, read: (name) => readIfThere(join(path, name)), write: (name, pem) => writePrivately(join(path, name), pem) };
}

/** For what ends with the process. */
export function pemMemory(): PemStore {
  const pems = new Map<string, string>();
  return { read: (name) => pems.get(name), write: (name, pem) => void pems.set(name, pem) };
}
