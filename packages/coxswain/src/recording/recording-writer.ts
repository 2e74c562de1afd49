/** Writes a recording, part by part: whatever ends the program leaves all parts that were written before. */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { stringifyJson } from "@coxswain/machinery";
import { magic, type RecordingBody, RecordingError, type RecordingHeader, type RecordingRecord } from "./format.ts";
import { encodePart } from "./frames.ts";
import type { Redactor } from "./redactor.ts";

/** A part is written when it has grown to this. Characters, before compression. */
const partLength = 512 * 1024;

export class RecordingWriter implements Disposable {
  readonly #file: number;
  readonly #redactor: Redactor | undefined;
  #lines: string[] = [];
  #length = 0;
  #records = 0;

  /** @throws RecordingError where there is a file already, or none can be made */
  constructor(path: string, header: RecordingHeader, redactor?: Redactor) {
    this.#redactor = redactor;
    this.#file = createPrivately(path);
    writeSync(this.#file, magic);
    this.#add(header);
    this.flush();
  }

  /** How many were written. */
  get records(): number {
    return this.#records;
  }

  write(record: RecordingBody): void {
    this.#add(record);
    if (this.#length >= partLength) this.flush();
  }

  /** From here on what was written stays, whatever becomes of this process. */
  flush(): void {
    if (this.#lines.length === 0) return;
    const part = encodePart(this.#lines.join(""));
    for (let written = 0; written < part.byteLength; ) written += writeSync(this.#file, part, written);
    this.#lines = [];
    this.#length = 0;
  }

  /** Makes it whole. @param last revision up to which all changes are in it, and when that was */
  end({ resourceVersion, time }: { readonly resourceVersion: number; readonly time: string }): void {
    this.#add({ kind: "end", records: this.#records, resourceVersion, time });
    this.flush();
    fsyncSync(this.#file);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #add(record: RecordingRecord): void {
    const line = `${stringifyJson(this.#redactor?.redacted(record) ?? record)}\n`;
    this.#lines.push(line);
    this.#length += line.length;
    this.#records++;
  }
}

/** What happened in a cluster is for nobody but who recorded it. */
function createPrivately(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new RecordingError(code === "EEXIST" ? `${path} is there already` : `${path} cannot be written: ${message}`, { cause });
  }
}
