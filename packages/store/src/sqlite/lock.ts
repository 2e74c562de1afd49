import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "@coxswain/machinery";
import { cannotOpen, failureOf, storageError } from "./failures.ts";

/**
 * Keeps other processes, and other stores of this one, away from a data file. Node has no file locks, SQLite has: an empty
 * database beside the data file is held in an exclusive transaction, which the operating system ends with the process.
 * The data file's own lock cannot do it, since the file passes from the loading thread to the writing one.
 * @throws StorageError when another one holds it.
 */
export function lockDataFile(path: string): Disposable {
  const lockPath = `${path}.lock`;
  try {
    createPrivately(lockPath);
    const lock = new DatabaseSync(lockPath);
    try {
      lock.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      lock.close();
      throw error;
    }
    return { [Symbol.dispose]: () => lock.close() };
  } catch (error) {
    throw storageError(path, failureOf(error));
  }
}

/**
 * Makes the file if it is not there, for this user alone: what is stored includes Secrets. An existing file is not even
 * opened, since closing it again would drop every lock that this process has on it.
 */
export function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
    throw Object.assign(new Error(messageOf(error)), { errcode: cannotOpen });
  }
}
