/** What the medium's errors mean to whoever runs the store, each with what to do. */
import { messageOf } from "@coxswain/machinery";
import { OutcomeUnknownError, StorageError } from "../storage/store.ts";

/** SQLite's primary result codes. @see https://sqlite.org/rescode.html */
const busy = 5;
const locked = 6;
const readOnly = 8;
const ioError = 10;
const corrupt = 11;
export const full = 13;
export const cannotOpen = 14;
const notADatabase = 26;

/** An error of SQLite, as it also passes between threads. */
export interface SqliteFailure {
  readonly code: number;
  readonly message: string;
}

export function failureOf(error: unknown): SqliteFailure {
  const message = messageOf(error);
  const code = error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : 0;
  return { code, message };
}

export function storageError(path: string, { code, message }: SqliteFailure): StorageError | OutcomeUnknownError {
  switch (code) {
    case ioError:
      // What was not written whole may be found whole after a crash.
      return new OutcomeUnknownError(`cannot write ${path} (${message}): it is not known whether the write took effect`);
    case busy:
    case locked:
      return inUse(path);
    case readOnly:
      return new StorageError(`cannot write ${path} (${message}): give this user the right to write to the file and its directory`);
    case corrupt:
    case notADatabase:
      return damaged(path, message);
    case full:
      return new StorageError(`the disk with ${path} is full: nothing was written; free some space and writes work again`);
    case cannotOpen:
      return new StorageError(`cannot open ${path} (${message}): its directory must exist and be writable for this user`);
    default:
      return new StorageError(`cannot write ${path} (${message}): nothing was acknowledged`);
  }
}

/** Another process, or another store of this one, has the file. */
export class InUseError extends StorageError {}

export function inUse(path: string): InUseError {
  return new InUseError(`the data directory is in use: another process has ${path} open; stop it, or choose another data directory`);
}

export function damaged(path: string, detail: string): StorageError {
  return new StorageError(
    `${path} is damaged (${detail}): restore it from a backup, or move it away together with ${path}-wal to start empty; it was not changed`,
  );
}

export function newerFormat(path: string, found: number, known: number): StorageError {
  return new StorageError(
    `${path} was written by a newer coxswain (format ${found}, this one knows ${known}): run that version, or choose another data directory; it was not changed`,
  );
}

export function notOurs(path: string): StorageError {
  return new StorageError(`${path} is not a data file of coxswain: choose another data directory; it was not changed`);
}
