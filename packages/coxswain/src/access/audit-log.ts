/** A file of lines that makes room for itself: full files are renamed by the time, and the oldest of them go. */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { type Clock, messageOf } from "@coxswain/machinery";
import type { AuditSettings } from "../options/audit-options.ts";
import { StartError } from "../process/start-error.ts";

/** Where lines go. */
export interface AuditLogFile extends Disposable {
  /** @throws Error where it could not be written */
  write(line: string): void;
}

type Limits = Pick<AuditSettings, "maxAge" | "maxBackups" | "maxSize">;

const megabyte = 1024 * 1024;
const defaultMegabytes = 100;
const dayMs = 24 * 60 * 60 * 1000;

/** @param path `-` for standard output @throws StartError */
export function openAuditLog(path: string, limits: Limits, clock: Pick<Clock, "now">): AuditLogFile {
  if (path === "-") return { write: (line) => writeAll(1, Buffer.from(line)), [Symbol.dispose]: () => undefined };
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return new RotatedFile(path, limits, clock);
  } catch (error) {
    throw new StartError(`ensureLogFile: ${messageOf(error)}`, { cause: error });
  }
}

class RotatedFile implements AuditLogFile {
  readonly #path: string;
  readonly #limits: Limits;
  readonly #clock: Pick<Clock, "now">;
  #file: number;
  #size: number;

  constructor(path: string, limits: Limits, clock: Pick<Clock, "now">) {
    this.#path = path;
    this.#limits = limits;
    this.#clock = clock;
    this.#file = openForAppending(path);
    this.#size = fstatSync(this.#file).size;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    const max = (this.#limits.maxSize || defaultMegabytes) * megabyte;
    if (this.#size > 0 && this.#size + bytes.byteLength > max) this.#rotate();
    writeAll(this.#file, bytes);
    this.#size += bytes.byteLength;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #rotate(): void {
    const now = this.#clock.now();
    renameSync(this.#path, backupName(this.#path, now));
    const full = this.#file;
    this.#file = openForAppending(this.#path);
    this.#size = 0;
    closeSync(full);
    for (const name of outdated(readdirSync(dirname(this.#path)), { path: this.#path, limits: this.#limits, now })) {
      unlinkSync(join(dirname(this.#path), name));
    }
  }
}

/** Only its owner may read what requests contain. */
const openForAppending = (path: string): number => openSync(path, "a", 0o600);

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
  { path, limits, now }: { readonly path: string; readonly limits: Limits; readonly now: number },
): readonly string[] {
  const extension = extname(path);
  const prefix = `${basename(path, extension)}-`;
  const backups = names
    .flatMap((name) => {
      if (!name.startsWith(prefix) || !name.endsWith(extension)) return [];
      const [, day, hour, minute, second] = timeInName.exec(name.slice(prefix.length, name.length - extension.length)) ?? [];
      return day === undefined ? [] : [{ name, at: Date.parse(`${day}${hour}:${minute}:${second}Z`) }];
    })
    .sort((a, b) => b.at - a.at);
  const { maxBackups, maxAge } = limits;
  return backups
    .filter(({ at }, i) => (maxBackups > 0 && i >= maxBackups) || (maxAge > 0 && at < now - maxAge * dayMs))
    .map(({ name }) => name);
}
