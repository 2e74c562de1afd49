/** Keeps two runtimes out of one directory, and lets a new one in when the old one has died. */
import { readFile, writeFile } from "node:fs/promises";
import { RuntimeError } from "../runtime/runtime-error.ts";

/** SQLite's SQLITE_BUSY. */
const busy = 5;

/**
 * An empty database is locked: the operating system gives that lock to one process alone, and takes it back whenever and
 * however that process ends. Who has it stands in a file beside it, for messages alone.
 * @throws RuntimeError when a process that runs has it
 */
export async function takeLock(path: string): Promise<Disposable> {
  // Not before it is needed: Node 22 warns of it wherever it is loaded.
  const { DatabaseSync } = await import("node:sqlite");
  const lock = new DatabaseSync(`${path}.db`, { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new RuntimeError("refused", `${path} is held by ${await holderOf(path)}: two runtimes cannot share a directory`);
  }
  try {
    await writeFile(path, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    lock.close();
    throw error;
  }
  return { [Symbol.dispose]: () => lock.close() };
}

const isBusy = (error: unknown): boolean => error instanceof Error && "errcode" in error && error.errcode === busy;

/** What holds it may not have said so yet. */
async function holderOf(path: string): Promise<string> {
  const pid = (await readFile(path, "utf8").catch(() => "")).trim();
  return /^\d+$/.test(pid) ? `the process ${pid}` : "another process";
}
