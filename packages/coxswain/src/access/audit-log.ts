/** A file of lines that makes room for itself: full files are renamed by the time, and the oldest of them go. */
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { rename, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { legacyAuditLine } from "@coxswain/apiserver";
import { type Clock, messageOf } from "@coxswain/machinery";
import type { AuditLogSettings } from "../options/audit-options.ts";
import { StartError } from "../process/start-error.ts";
import type { AuditDelivery, OnLostEvents } from "./audit-backend.ts";

/** Where lines go. */
export interface AuditLogFile extends AsyncDisposable {
  /** @throws Error where it could not be written */
  write(lines: string): void;
}

type Limits = Pick<AuditLogSettings, "maxAge" | "maxBackups" | "maxSize" | "compress">;

interface Surroundings {
  readonly clock: Pick<Clock, "now">;
  /** Of a full file that could not be compressed. */
  readonly onError: (error: unknown) => void;
}

const megabyte = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1000;

/** @param path `-` for standard output @throws StartError */
export function openAuditLog(path: string, limits: Limits, at: Surroundings): AuditLogFile {
  if (path === "-") return { write: (lines) => writeAll(1, Buffer.from(lines)), [Symbol.asyncDispose]: async () => undefined };
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return new RotatedFile(path, limits, at);
  } catch (error) {
    throw new StartError(`ensureLogFile: ${messageOf(error)}`, { cause: error });
  }
}

class RotatedFile implements AuditLogFile {
  readonly #path: string;
  readonly #limits: Limits;
  readonly #at: Surroundings;
  #file: number;
  #size: number;
  #compressing: Promise<void> = Promise.resolve();

  constructor(path: string, limits: Limits, at: Surroundings) {
    this.#path = path;
    this.#limits = limits;
    this.#at = at;
    this.#file = openForAppending(path);
    this.#size = fstatSync(this.#file).size;
  }

  write(lines: string): void {
    const bytes = Buffer.from(lines);
    const max = this.#limits.maxSize * megabyte;
    if (max > 0 && this.#size > 0 && this.#size + bytes.byteLength > max) this.#rotate();
    writeAll(this.#file, bytes);
    this.#size += bytes.byteLength;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    closeSync(this.#file);
    await this.#compressing;
  }

  #rotate(): void {
    const now = this.#at.clock.now();
    const backup = backupName(this.#path, now);
    renameSync(this.#path, backup);
    const full = this.#file;
    this.#file = openForAppending(this.#path);
    this.#size = 0;
    closeSync(full);
    for (const name of outdated(readdirSync(dirname(this.#path)), { path: this.#path, limits: this.#limits, now })) {
      unlinkSync(join(dirname(this.#path), name));
    }
    if (this.#limits.compress) this.#compressing = this.#compressing.then(() => compress(backup)).catch(this.#at.onError);
  }
}

/** Under another name until it is whole. */
async function compress(path: string): Promise<void> {
  const unfinished = `${path}.gz.tmp`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(unfinished, { mode: 0o600 }));
  await rename(unfinished, `${path}.gz`);
  await unlink(path);
}

/** Only its owner may read what requests contain. */
const openForAppending = (path: string): number => openSync(path, "a", 0o600);

/** Lines of a turn of the event loop are written together: a write of the system costs more than an event. */
const maxHeldBytes = 64 * 1024;

/** Delivers to a file. @param defer calls back at the end of the turn; undefined writes each event before the request goes on */
export function logDelivery(
  file: AuditLogFile,
  format: AuditLogSettings["format"],
  { defer, onLost }: { readonly defer: ((write: () => void) => void) | undefined; readonly onLost: OnLostEvents },
): AuditDelivery & Disposable {
  let held = "";
  let count = 0;
  const flush = (): void => {
    if (held === "") return;
    const [lines, events] = [held, count];
    held = "";
    count = 0;
    try {
      file.write(lines);
    } catch (error) {
      onLost("log", events, error);
    }
  };
  return {
    name: "log",
    deliver(events) {
      const lines = format === "legacy" ? events.map(legacyAuditLine) : events;
      if (defer === undefined) return file.write(lines.join(""));
      if (held === "") defer(flush);
      for (const line of lines) held += line;
      count += lines.length;
      if (held.length >= maxHeldBytes) flush();
    },
    [Symbol.dispose]: flush,
  };
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.byteLength; ) at += writeSync(file, bytes, at);
}

/** `audit-2026-11-23T06-53-49.123.log` beside `audit.log`. */
function backupName(path: string, now: number): string {
  const extension = extname(path);
  const time = new Date(now).toISOString().slice(0, -1).replaceAll(":", "-");
  return join(dirname(path), `${basename(path, extension)}-${time}${extension}`);
}

const timeInName = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

/** Old files beyond the number that is kept, and beyond their age. */
export function outdated(
  names: readonly string[],
  { path, limits, now }: { readonly path: string; readonly limits: Pick<Limits, "maxAge" | "maxBackups">; readonly now: number },
): readonly string[] {
  const extension = extname(path);
  const prefix = `${basename(path, extension)}-`;
  const backups = names
    .flatMap((name) => {
      const plain = name.endsWith(".gz") ? name.slice(0, -3) : name;
      if (!plain.startsWith(prefix) || !plain.endsWith(extension)) return [];
      const [, day, hour, minute, second] = timeInName.exec(plain.slice(prefix.length, plain.length - extension.length)) ?? [];
      return day === undefined ? [] : [{ name, at: Date.parse(`${day}${hour}:${minute}:${second}Z`) }];
    })
    .sort((a, b) => b.at - a.at);
  const { maxBackups, maxAge } = limits;
  return backups
    .filter(({ at }, i) => (maxBackups > 0 && i >= maxBackups) || (maxAge > 0 && at < now - maxAge * dayMs))
    .map(({ name }) => name);
}
