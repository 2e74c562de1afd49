/** The bytes of versions: many together, compressed. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { ByteWriter } from "../delta/varint.ts";
import { HistoryFileError } from "./schema.ts";

/** A chunk is closed when it has grown to this. Bytes, before compression. */
const chunkBytes = 64 * 1024;
/** So many are kept as they are when they were read last. */
const cachedChunks = 16;

const fast = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** Where the bytes of a version are. */
export interface ChunkPlace {
  readonly chunk: number;
  readonly position: number;
  readonly length: number;
}

export class ChunkStore {
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #read = new Map<number, Uint8Array>();
  #open: ByteWriter | undefined;
  #first = 0;
  #last = 0;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare("INSERT INTO chunks VALUES (?, ?, ?)");
    this.#select = db.prepare("SELECT data FROM chunks WHERE id = ?");
  }

  /** Puts bytes of a version into the chunk that is being made. */
  add(id: number, bytes: Uint8Array): ChunkPlace {
    if (this.#open === undefined) {
      this.#open = new ByteWriter();
      this.#first = id;
    }
    const position = this.#open.length;
    this.#open.bytes(bytes);
    this.#last = id;
    return { chunk: this.#first, position, length: bytes.byteLength };
  }

  /** A version without bytes belongs to the chunk that is being made, or to none. */
  addNothing(id: number): ChunkPlace {
    return this.add(id, nothing);
  }

  get isFull(): boolean {
    return this.#open !== undefined && this.#open.length >= chunkBytes;
  }

  /** Writes the chunk that is being made. */
  close(): void {
    if (this.#open === undefined) return;
    const bytes = this.#open.take();
    this.#insert.run(this.#first, this.#last, compress(bytes));
    this.#open = undefined;
    this.#keep(this.#first, bytes);
  }

  /** What was added since it was written last is given up. */
  abandon(): void {
    this.#open = undefined;
    this.#read.clear();
  }

  /** @throws HistoryFileError where the file has not what it says */
  bytesAt({ chunk, position, length }: ChunkPlace): Uint8Array {
    const bytes = this.#open !== undefined && chunk === this.#first ? this.#open.take() : this.#bytesOf(chunk);
    if (position + length > bytes.byteLength) throw new HistoryFileError(`chunk ${chunk} of the history is too short`);
    return bytes.subarray(position, position + length);
  }

  forget(chunk: number): void {
    this.#read.delete(chunk);
  }

  #bytesOf(chunk: number): Uint8Array {
    const known = this.#read.get(chunk);
    if (known !== undefined) {
      this.#read.delete(chunk);
      this.#read.set(chunk, known);
      return known;
    }
    const data = this.#select.get(chunk)?.data;
    if (!(data instanceof Uint8Array)) throw new HistoryFileError(`chunk ${chunk} of the history is missing`);
    const bytes = decompress(data);
    this.#keep(chunk, bytes);
    return bytes;
  }

  #keep(chunk: number, bytes: Uint8Array): void {
    this.#read.set(chunk, bytes);
    if (this.#read.size <= cachedChunks) return;
    for (const oldest of this.#read.keys()) {
      this.#read.delete(oldest);
      break;
    }
  }
}

const nothing = new Uint8Array(0);

export const compress = (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes, fast);

/** @throws HistoryFileError */
export function decompress(data: Uint8Array): Uint8Array {
  try {
    return zstdDecompressSync(data, { maxOutputLength: 128 * 1024 * 1024 });
  } catch (cause) {
    throw new HistoryFileError("the history has bytes that cannot be decompressed", { cause });
  }
}
