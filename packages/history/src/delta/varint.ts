/** Integers of one to eight bytes, seven bits in each, the lowest first (LEB128). */

/** Collects bytes; grows as they come. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** @param value a safe integer that is not negative */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  bytes(bytes: Uint8Array, from = 0, to = bytes.byteLength): void {
    this.#reserve(to - from);
    this.#bytes.set(from === 0 && to === bytes.byteLength ? bytes : bytes.subarray(from, to), this.#length);
    this.#length += to - from;
  }

  /** All of it so far, in memory of its own. */
  take(): Uint8Array<ArrayBuffer> {
    return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length) as Uint8Array<ArrayBuffer>;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.byteLength) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.byteLength, this.#length + more));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** Reads what a ByteWriter has written. @throws RangeError where bytes are missing */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.byteLength;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 49; factor *= 0x80) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("an integer breaks off");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new RangeError("an integer is too long");
  }

  bytes(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.byteLength) throw new RangeError("bytes are missing");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
