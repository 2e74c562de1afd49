/**
 * Reads protobuf's wire format. Every length is checked against the bytes that are there.
 * @see https://protobuf.dev/programming-guides/encoding/
 */

import { decodeUtf8 } from "../json/utf8.ts";
import { DecodeError } from "../values/decode-error.ts";

/** Varint, 64 bits, length-delimited, group start and end, 32 bits. */
export type WireKind = 0 | 1 | 2 | 3 | 4 | 5;

/** Text between two offsets of the bytes that are read. */
export type ReadText = (start: number, end: number) => string;

const maxDepth = 1000;

/** Reads the fields of a message, and those of messages in it. */
export class ProtobufReader {
  readonly #bytes: Uint8Array;
  readonly #readText: ReadText;
  #at = 0;
  #end: number;
  #depth = 0;

  /** @param readText where the platform has a faster way than ours, which makes U+FFFD of each byte that is not UTF-8 */
  constructor(bytes: Uint8Array, readText: ReadText = textReader(bytes)) {
    this.#bytes = bytes;
    this.#readText = readText;
    this.#end = bytes.length;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** Field number and wire kind in one, as they stand: number × 8 + kind. */
  tag(): number {
    const tag = this.#smallVarint();
    const kind = tag & 7;
    if (tag < 8) throw new DecodeError(`proto: illegal tag ${tag >>> 3} (wire type ${kind})`);
    return tag;
  }

  boolean(): boolean {
    return this.#varint() !== 0;
  }

  int32(): number {
    const value = this.#varint();
    return typeof value === "number" ? value | 0 : Number(BigInt.asIntN(32, value));
  }

  /** A number when safe, else a bigint. */
  int64(): number | bigint {
    const value = this.#varint();
    if (typeof value === "number") return value;
    const exact = BigInt.asIntN(64, value);
    const number = Number(exact);
    return Number.isSafeInteger(number) ? number : exact;
  }

  double(): number {
    const start = this.#advance(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true);
  }

  bytes(): Uint8Array {
    const length = this.#length();
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  string(): string {
    const length = this.#length();
    const start = this.#advance(length);
    return this.#readText(start, start + length);
  }

  /** Runs `read` with the reader confined to the next length-delimited message, until it is read. */
  message(read: () => void): void {
    const length = this.#length();
    const end = this.#advance(length) + length;
    if (++this.#depth > maxDepth) throw new DecodeError("proto: exceeded max depth");
    const outer = this.#end;
    this.#at = end - length;
    this.#end = end;
    while (this.#at < end) read();
    this.#end = outer;
    this.#depth--;
  }

  skip(kind: number): void {
    switch (kind) {
      case 0:
        this.#skipVarint();
        return;
      case 1:
        this.#advance(8);
        return;
      case 2:
        this.#advance(this.#length());
        return;
      case 3:
        this.#skipGroup();
        return;
      case 5:
        this.#advance(4);
        return;
      default:
        throw new DecodeError(`proto: illegal wireType ${kind}`);
    }
  }

  #skipVarint(): void {
    for (let i = 0; i < 10; i++) if (this.#byte() < 0x80) return;
    throw new DecodeError("proto: integer overflow");
  }

  #skipGroup(): void {
    let open = 1;
    while (open > 0) {
      const kind = this.tag() & 7;
      if (kind === 3) open++;
      else if (kind === 4) open--;
      else this.skip(kind);
    }
  }

  #advance(length: number): number {
    const start = this.#at;
    if (length > this.#end - start) throw new DecodeError("unexpected EOF");
    this.#at = start + length;
    return start;
  }

  #length(): number {
    const length = this.#varint();
    if (typeof length === "number" && length <= this.#bytes.length) return length;
    if (typeof length === "bigint" && length >= 2n ** 63n) throw new DecodeError("proto: negative length found during unmarshaling");
    throw new DecodeError("unexpected EOF");
  }

  #smallVarint(): number {
    const value = this.#varint();
    if (typeof value === "number" && value <= 0xffffffff) return value;
    throw new DecodeError("proto: integer overflow");
  }

  /** Unsigned; a number while it is safe. */
  #varint(): number | bigint {
    // Most are of one byte.
    const first = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
    if (first !== undefined && first < 0x80) {
      this.#at++;
      return first;
    }
    let value = 0;
    let factor = 1;
    const start = this.#at;
    for (let i = 0; i < 7; i++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
    this.#at = start;
    return this.#longVarint();
  }

  #longVarint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new DecodeError("proto: integer overflow");
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new DecodeError("unexpected EOF");
    return this.#bytes[this.#at++] ?? 0;
  }
}

const textReader =
  (bytes: Uint8Array): ReadText =>
  (start, end) =>
    end - start <= 24 ? shortText(bytes, start, end) : decodeUtf8(bytes.subarray(start, end));

/** Most strings are short and ASCII; for those this is faster than a TextDecoder. */
function shortText(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte >= 0x80) return decodeUtf8(bytes.subarray(start, end));
    text += String.fromCharCode(byte);
  }
  return text;
}
