/** A copy of a data file that a server has open, as it is at one moment between its writes. */
import { closeSync, constants, copyFileSync, openSync, readSync, rmSync } from "node:fs";
import { StorageError } from "../storage/store.ts";

/** The header of a write-ahead log has salts, which change whenever the log begins anew. @see https://sqlite.org/fileformat2.html#walformat */
const headerBytes = 32;
const attempts = 20;

/**
 * The server holds SQLite's locks for as long as it runs, so SQLite itself could not read the file. But a page of the file is only ever
 * changed to what the write-ahead log has for it, and the log only grows until it begins anew. So when the log has not begun anew from
 * before the file is copied until after the log is, then the copied log has all that the file may have got meanwhile, and the two
 * together are the state of the last write that is whole in the log. Otherwise it is tried again.
 *
 * Not for a file that this process itself has open: closing it again would drop SQLite's locks.
 * @throws StorageError when the log has begun anew each time
 */
export function copyDataFile(from: string, to: string, { betweenFiles = () => {} }: { readonly betweenFiles?: () => void } = {}): void {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const before = logHeader(from);
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    betweenFiles();
    if (before === undefined) rmSync(`${to}-wal`, { force: true });
    else copyFileSync(`${from}-wal`, `${to}-wal`);
    if (logHeader(from) === before) return;
  }
  throw new StorageError(`${from} is written to so much that it cannot be copied while the server runs: try again, or stop the server`);
}

/** Undefined where there is none, or an empty one: then all is in the file. */
function logHeader(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(`${path}-wal`, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const header = Buffer.alloc(headerBytes);
    return readSync(file, header, 0, headerBytes, 0) === headerBytes ? header.toString("hex") : undefined;
  } finally {
    closeSync(file);
  }
}
