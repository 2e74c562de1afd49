/**
 * Writes protobuf's wire format from the end to the start, so that the length of a message is known
 * when it is due: first the value, then its length, then its tag; the last field first.
 */
const encoder = new TextEncoder();

/** What a writer that begins anew keeps at most. */
const keptBytes = 64 * 1024;

/** Writes the fields of a message into bytes that grow as needed. */
export class ProtobufWriter {
  #bytes: Uint8Array;
  #at: number;

  /** @param expected about how many bytes will be written */
  constructor(expected = 512) {
    this.#bytes = new Uint8Array(expected);
    this.#at = expected;
  }

  /** Begins another message in the same bytes: whoever has what was written of the last one has copied it. */
  restart(): void {
    if (this.#bytes.length > keptBytes) this.#bytes = new Uint8Array(keptBytes);
    this.#at = this.#bytes.length;
  }

  /** Grows as bytes are written; the difference of two marks is a length. */
  get mark(): number {
    return this.#bytes.length - this.#at;
  }

  /** What was written; the writer must not be used again, but to restart. */
  finish(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  tag(field: number, kind: number): void {
    this.varint(field * 8 + kind);
  }

  /** After a message: the length of what was written since `mark`. */
  lengthSince(mark: number): void {
    this.varint(this.mark - mark);
  }

  /** Negative numbers take ten bytes, as int32 and int64 do. */
  varint(value: number | bigint): void {
    if (typeof value === "bigint" || value < 0 || value > 0xffffffff) {
      this.#longVarint(BigInt.asUintN(64, BigInt(value)));
      return;
    }
    const size = value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
    let at = this.#reserve(size);
    let rest = value;
    for (let i = 1; i < size; i++) {
      this.#bytes[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[at] = rest;
  }

  double(value: number): void {
    const at = this.#reserve(8);
    new DataView(this.#bytes.buffer, at, 8).setFloat64(0, value, true);
  }

  /** Without a length. */
  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  bytes(bytes: Uint8Array): void {
    this.raw(bytes);
    this.varint(bytes.length);
  }

  string(text: string): void {
    const start = this.mark;
    if (text.length > 80 || !this.#shortAscii(text)) this.raw(encoder.encode(text));
    this.lengthSince(start);
  }

  /** False, and nothing written, when the text is not ASCII. */
  #shortAscii(text: string): boolean {
    const at = this.#reserve(text.length);
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) {
        this.#at += text.length;
        return false;
      }
      this.#bytes[at + i] = code;
    }
    return true;
  }

  #longVarint(value: bigint): void {
    let size = 1;
    for (let rest = value >> 7n; rest > 0n; rest >>= 7n) size++;
    let at = this.#reserve(size);
    let rest = value;
    for (let i = 1; i < size; i++) {
      this.#bytes[at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[at] = Number(rest);
  }

  #reserve(size: number): number {
    if (size > this.#at) {
      const used = this.mark;
      const grown = new Uint8Array(Math.max(this.#bytes.length * 2, used + size));
      grown.set(this.#bytes.subarray(this.#at), grown.length - used);
      this.#at = grown.length - used;
      this.#bytes = grown;
    }
    this.#at -= size;
    return this.#at;
  }
}
