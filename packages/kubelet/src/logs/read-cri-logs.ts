/** Reads a container's log file from its beginning or its last lines, and goes on over rotations where it is followed. */
import { type FileHandle, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "@coxswain/machinery";
import { openRegular } from "../files/open-regular.ts";
import type { LogEntry, LogOptions } from "../runtime/container-streams.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";
import { parseCriLogLine } from "./cri-log-line.ts";
import { DirectoryChanges } from "./directory-changes.ts";
import { tailStart } from "./tail-start.ts";

/** How a log is followed: it ends where its container has ended. */
export interface FollowOptions {
  readonly clock: Clock;
  /** Called at the end of the file: a log that is no longer written ends there. */
  readonly isRunning: (signal: AbortSignal) => boolean | Promise<boolean>;
}

const lineFeed = 0x0a;
const chunkBytes = 64 * 1024;
/** Runtimes break lines at 16 KiB; what is so much longer is none of theirs, and is left out. */
const maxLineLength = 1024 * 1024;
/** How long changes may go unnoticed where a directory cannot be watched, and the end of a container. */
const forcedCheckMs = 1_000;

/**
 * Only the newest file, as `kubectl logs` shows it. Ends when aborted; without `follow` at the end of the file.
 * Lines that no runtime would write are left out.
 * @throws RuntimeError `notFound` when there is no such file and no container that could still write it
 */
export async function* readCriLogs(
  path: string,
  { follow, tailLines }: LogOptions,
  signal: AbortSignal,
  { clock, isRunning }: FollowOptions,
): AsyncGenerator<LogEntry> {
  using changes = follow ? new DirectoryChanges(dirname(path), clock) : undefined;
  let file = await firstOpen();
  try {
    const lines = new Lines(file, tailLines === undefined ? 0 : await tailStart(file, tailLines));
    while (!signal.aborted) {
      const running = follow && (await isRunning(signal));
      for await (const line of lines.read(signal, !running)) {
        const entry = parseCriLogLine(line);
        if (entry !== undefined) yield entry;
      }
      if (changes === undefined || signal.aborted) return;
      const newer = await reopened(path, file);
      if (newer !== undefined) {
        // Written between the end of the old file and its replacement.
        for await (const line of lines.read(signal, true)) {
          const entry = parseCriLogLine(line);
          if (entry !== undefined) yield entry;
        }
        await file.close();
        file = newer;
        lines.continueWith(file);
        continue;
      }
      if (!running) return;
      await changes.next(forcedCheckMs, signal);
    }
  } finally {
    await file.close();
  }

  /** A file that is just being rotated is not there for a moment. */
  async function firstOpen(): Promise<FileHandle> {
    for (;;) {
      const found = await openIfThere(path);
      if (found !== undefined) return found;
      if (changes === undefined || signal.aborted || !(await isRunning(signal)))
        throw new RuntimeError("notFound", `failed to open log file ${JSON.stringify(path)}: no such file or directory`);
      await changes.next(forcedCheckMs, signal);
    }
  }
}

/** Complete lines of a file that grows. */
class Lines {
  #file: FileHandle;
  #position: number;
  #rest: Uint8Array = new Uint8Array(0);
  #skipping = false;

  constructor(file: FileHandle, position: number) {
    this.#file = file;
    this.#position = position;
  }

  continueWith(file: FileHandle): void {
    this.#file = file;
    this.#position = 0;
    this.#rest = new Uint8Array(0);
    this.#skipping = false;
  }

  /** All there are now; with `last` also what no line feed ends. */
  async *read(signal: AbortSignal, last: boolean): AsyncGenerator<Uint8Array> {
    if ((await this.#file.stat()).size < this.#position) this.continueWith(this.#file);
    while (!signal.aborted) {
      const chunk = new Uint8Array(chunkBytes);
      const { bytesRead } = await this.#file.read(chunk, 0, chunkBytes, this.#position);
      if (bytesRead === 0) break;
      this.#position += bytesRead;
      yield* this.#split(chunk.subarray(0, bytesRead));
    }
    if (!last || this.#rest.length === 0 || this.#skipping || signal.aborted) return;
    yield this.#rest;
    this.#rest = new Uint8Array(0);
  }

  *#split(chunk: Uint8Array): Generator<Uint8Array> {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const line = joined(this.#rest, chunk.subarray(start, end));
      if (!this.#skipping) yield line;
      this.#skipping = false;
      this.#rest = new Uint8Array(0);
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#rest = joined(this.#rest, chunk.subarray(start));
    if (this.#rest.length <= maxLineLength) return;
    this.#skipping = true;
    this.#rest = new Uint8Array(0);
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** The file that now has this name, if that is another than the one that is open. */
async function reopened(path: string, current: FileHandle): Promise<FileHandle | undefined> {
  const named = await stat(path, { bigint: true }).catch(() => undefined);
  if (named === undefined) return undefined;
  const open = await current.stat({ bigint: true });
  return named.ino === open.ino && named.dev === open.dev ? undefined : await openIfThere(path);
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await openRegular(path);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

const isErrno = (error: unknown, code: string): boolean => error instanceof Error && "code" in error && error.code === code;
