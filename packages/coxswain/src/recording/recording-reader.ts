/** Reads a recording, part by part. */
import { closeSync, openSync, readSync } from "node:fs";
import { messageOf, parseJson } from "@coxswain/machinery";
import { magic, type RecordingBody, type RecordingEnd, RecordingError, type RecordingHeader, recordingFormat } from "./format.ts";
import { type ReadBytes, readParts } from "./frames.ts";
import { validateBody, validateEnd, validateHeader } from "./validate-record.ts";

/** More than this no recording holds, decompressed. Bytes. */
const maxBytes = 4 * 1024 * 1024 * 1024;
const maxRecords = 20_000_000;
/** So many changes can have one revision. */
const maxOfRevision = 1_000;

/** How a recording ends: what it has at its end, or nothing where it was not written to its end. */
export type RecordingEnding = RecordingEnd | "truncated";

export class RecordingReader implements Disposable {
  readonly header: RecordingHeader;
  readonly #path: string;
  readonly #file: number;
  readonly #lines: Generator<string, boolean, undefined>;
  #ending: RecordingEnding = "truncated";

  /** @throws RecordingError for a file that is no recording, or of a newer format */
  constructor(path: string) {
    this.#path = path;
    this.#file = open(path);
    try {
      requireMagic(path, reading(path, this.#file));
      this.#lines = linesOf(readParts(reading(path, this.#file, Buffer.byteLength(magic))));
      this.header = this.#named(() => validateHeader(parsed(this.#next() ?? "{}")));
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** Known once all records were read. */
  get ending(): RecordingEnding {
    return this.#ending;
  }

  /** In order, once. @throws RecordingError for what is damaged, or was never written by a program like this */
  *records(): Generator<RecordingBody, void, undefined> {
    let last = this.header.from.resourceVersion;
    let ofRevision = 0;
    for (let count = 1; ; count++) {
      const line = this.#named(() => this.#next());
      if (line === undefined) return;
      if (this.#ending !== "truncated" || count > maxRecords) throw this.#error("it goes on behind its end");
      const value = this.#named(() => parsed(line));
      if (value.kind === "end") {
        const end = this.#named(() => validateEnd(value));
        if (end.records !== count) throw this.#error(`it has ${count} records, and not ${end.records} as it says`);
        this.#ending = end;
        continue;
      }
      const record = this.#named(() => validateBody(value));
      if (record === undefined) continue;
      if (record.kind === "change") {
        if (record.resourceVersion < last) throw this.#error(`resourceVersion ${record.resourceVersion} comes behind ${last}`);
        ofRevision = record.resourceVersion === last ? ofRevision + 1 : 1;
        if (ofRevision > maxOfRevision) throw this.#error(`too many changes have resourceVersion ${last}`);
        last = record.resourceVersion;
      }
      yield record;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #next(): string | undefined {
    const { value, done } = this.#lines.next();
    return done === true ? undefined : (value as string);
  }

  #named<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.#error(messageOf(error), error);
    }
  }

  #error(message: string, cause?: unknown): RecordingError {
    return new RecordingError(`${this.#path} cannot be read as a recording: ${message}`, { cause });
  }
}

function* linesOf(parts: Generator<string, boolean, undefined>): Generator<string, boolean, undefined> {
  let total = 0;
  for (;;) {
    const { value, done } = parts.next();
    if (done === true) return value;
    total += value.length;
    if (total > maxBytes) throw new RecordingError("it holds more than any recording may");
    for (let from = 0; from < value.length; ) {
      const end = value.indexOf("\n", from);
      if (end < 0) throw new RecordingError("a line has no end");
      yield value.slice(from, end);
      from = end + 1;
    }
  }
}

function parsed(line: string): Record<string, unknown> {
  const value = parseJson(line);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new RecordingError("a record is no object");
  return value as Record<string, unknown>;
}

function open(path: string): number {
  try {
    return openSync(path, "r");
  } catch (cause) {
    throw new RecordingError(`${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function reading(path: string, file: number, from = 0): ReadBytes {
  let position = from;
  return (count) => {
    const bytes = Buffer.alloc(count);
    let have = 0;
    try {
      for (let got = -1; have < count && got !== 0; have += got) got = readSync(file, bytes, have, count - have, position + have);
    } catch (cause) {
      throw new RecordingError(`${path} cannot be read: ${messageOf(cause)}`, { cause });
    }
    position += have;
    return bytes.subarray(0, have);
  };
}

function requireMagic(path: string, read: ReadBytes): void {
  const given = Buffer.from(read(Buffer.byteLength(magic))).toString("latin1");
  if (given === magic) return;
  const [, format] = /^coxswain recording (\d{1,9})\n?/.exec(given) ?? [];
  if (format !== undefined && Number(format) > recordingFormat)
    throw new RecordingError(`${path} is of format ${format}, which a newer coxswain has written; this one reads ${recordingFormat}`);
  throw new RecordingError(`${path} is no recording of coxswain`);
}
