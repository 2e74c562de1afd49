/**
 * Names and values of a stream, compressed. Each end goes on in one deflate stream for as long as the session lasts, but every
 * block ends on a byte; what remains of the past is the window of the last 32 KiB, and that is kept here.
 */
import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { headerDictionary } from "./dictionary.ts";
import { SpdyError } from "./spdy-error.ts";

/** Names in lower case; the values of a name that occurs more than once are joined by a zero byte. */
export type Headers = Readonly<Record<string, string>>;

const windowBytes = 32 * 1024;
/** After inflating; those of remote commands have some 50 bytes. */
const maxBlockBytes = 64 * 1024;
const maxHeaders = 64;
const flush = { finishFlush: constants.Z_SYNC_FLUSH };
/** Deflate with a preset dictionary, which is named by its Adler-32 checksum. */
const zlibHeader = Buffer.from([0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2]);
const hasDictionary = 0x20;

class Window {
  #bytes: Uint8Array = headerDictionary;

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  add(block: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, block]).subarray(-windowBytes);
  }
}

export class HeaderPacker {
  readonly #window = new Window();
  #begun = false;

  pack(headers: Headers): Uint8Array {
    const plain = encoded(headers);
    const packed = deflateRawSync(plain, { ...flush, dictionary: this.#window.bytes });
    this.#window.add(plain);
    if (this.#begun) return packed;
    this.#begun = true;
    return Buffer.concat([zlibHeader, packed]);
  }
}

export class HeaderUnpacker {
  readonly #window = new Window();
  #begun = false;

  /** @throws SpdyError: after it, nothing can be unpacked any more */
  unpack(block: Uint8Array): Headers {
    const packed = this.#begun ? block : afterZlibHeader(block);
    this.#begun = true;
    const plain = inflated(packed, this.#window.bytes);
    this.#window.add(plain);
    return decoded(plain);
  }
}

function afterZlibHeader(block: Uint8Array): Uint8Array {
  const [method = 0, flags = 0] = block;
  if ((method & 0x0f) !== 8 || ((method << 8) | flags) % 31 !== 0) throw new SpdyError("a header block that is not compressed as agreed");
  if ((flags & hasDictionary) === 0) throw new SpdyError("a header block without the dictionary");
  return block.subarray(zlibHeader.length);
}

function inflated(packed: Uint8Array, dictionary: Uint8Array): Buffer {
  try {
    return inflateRawSync(packed, { ...flush, dictionary, maxOutputLength: maxBlockBytes });
  } catch (cause) {
    throw new SpdyError("a header block that cannot be unpacked", { cause });
  }
}

function encoded(headers: Headers): Buffer {
  const entries = Object.entries(headers);
  const parts: Buffer[] = [uint32(entries.length)];
  for (const text of entries.flat()) {
    const bytes = Buffer.from(text);
    parts.push(uint32(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function decoded(plain: Buffer): Headers {
  let at = 0;
  const number = (): number => {
    if (at + 4 > plain.length) throw new SpdyError("a header block that ends early");
    at += 4;
    return plain.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > plain.length) throw new SpdyError("a header block that ends early");
    at += length;
    return plain.toString("utf8", at - length, at);
  };
  const count = number();
  if (count > maxHeaders) throw new SpdyError(`${count} headers on one stream`);
  const headers: Record<string, string> = Object.create(null);
  for (let i = 0; i < count; i++) {
    const name = text();
    if (name in headers || name !== name.toLowerCase())
      throw new SpdyError(`the header ${JSON.stringify(name.slice(0, 64))} is not allowed`);
    headers[name] = text();
  }
  return headers;
}
