/** Data files as commands find them: of no server, or of one that runs. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../sqlite/data-file.ts";
import { InUseError } from "../sqlite/failures.ts";
import { lockDataFile } from "../sqlite/lock.ts";
import { StorageError } from "../storage/store.ts";
import { copyDataFile } from "./copy-data-file.ts";
import { openDataFileSource } from "./data-file-source.ts";
import { createDataFileTarget } from "./data-file-target.ts";
import type { StateSource, StateTarget } from "./state.ts";

/** How a data file that a server may have open is read. */
export interface FileSourceOptions {
  /** Whether a server may have it open: the state is then that of one moment. */
  readonly live?: boolean;
  /** Where a copy of it may be made meanwhile. */
  readonly temporary?: string;
}

/** Opens the state in a data file to be read. @throws StorageError where there is none, or a server has it open that it should not have */
export function openFileSource(path: string, { live = false, temporary = tmpdir() }: FileSourceOptions = {}): StateSource {
  if (!existsSync(path)) throw new StorageError(`there is no ${path}`);
  const lock = lockUnless(path, live);
  if (lock === undefined) return openCopy(path, temporary);
  try {
    const source = openDataFileSource(path);
    return endingWith(source, () => lock[Symbol.dispose]());
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/** Which data file, and what becomes of what is there. */
export interface FileTargetOptions {
  readonly path: string;
  /** Of the state that will be written, and what time it is, in milliseconds since the epoch. */
  readonly revision: number;
  readonly now: number;
  /** Whether a state that is there is replaced. */
  readonly replaces: boolean;
}

/** Opens a data file that will have a state. @throws StorageError where there is a state that is not to be replaced, or a server that has it open */
export function openFileTarget({ path, replaces, ...options }: FileTargetOptions): StateTarget {
  const lock = lockDataFile(path);
  try {
    if (existsSync(path) && !replaces) throw new StorageError(`there is a state in ${path} already`);
    const target = createDataFileTarget({ ...options, path, replace: () => foldLog(path) });
    return {
      prefix: target.prefix,
      write: (entries) => target.write(entries),
      finish: (written) => target.finish(written),
      async [Symbol.asyncDispose]() {
        await target[Symbol.asyncDispose]();
        lock[Symbol.dispose]();
      },
    };
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/** A log that is left behind belongs to the file that goes: beside another it would be read into that. */
function foldLog(path: string): void {
  if (existsSync(path)) openDatabase(path).close();
}

function lockUnless(path: string, live: boolean): Disposable | undefined {
  try {
    return lockDataFile(path);
  } catch (error) {
    if (live && error instanceof InUseError) return undefined;
    throw error;
  }
}

function openCopy(path: string, temporary: string): StateSource {
  const folder = mkdtempSync(join(temporary, "coxswain-copy-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "state.db");
    copyDataFile(path, copy);
    const source = openDataFileSource(copy);
    return endingWith(source, remove);
  } catch (error) {
    remove();
    throw error;
  }
}

const endingWith = (source: StateSource, then: () => void): StateSource => ({
  ...source,
  async [Symbol.asyncDispose]() {
    await source[Symbol.asyncDispose]();
    then();
  },
});
