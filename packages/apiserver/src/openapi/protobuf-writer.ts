/**
 * Writes protobuf from its end to its beginning: when a message's length is written, what it is the length of is
 * already there. What is to come first in the message is therefore written last.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export class ProtobufWriter {
  #bytes = new Uint8Array(1024 * 1024);
  /** Where what has been written begins. */
  #start = this.#bytes.byteLength;

  /** How much has been written. */
  get length(): number {
    return this.#bytes.byteLength - this.#start;
  }

  text(number: number, value: string): void {
    // No text takes more than three bytes for each of its UTF-16 units.
    const room = this.#room(value.length * 3);
    const { written } = utf8.encodeInto(value, this.#bytes.subarray(room));
    this.#start -= written;
    this.#bytes.copyWithin(this.#start, room, room + written);
    this.#key(number, 2, written);
  }

  /** @param write writes the message's fields, the last one first */
  message(number: number, write: () => void): void {
    const before = this.length;
    write();
    this.#key(number, 2, this.length - before);
  }

  /** @param value a whole number from 0 to 2^53 */
  whole(number: number, value: number): void {
    this.#key(number, 0, value);
  }

  double(number: number, value: number): void {
    this.#start = this.#room(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#start, value, true);
    this.#varint(number * 8 + 1);
  }

  finish(): Uint8Array {
    return this.#bytes.slice(this.#start);
  }

  /** A field's number and wire type, and after them a varint: its value or its length. */
  #key(number: number, wireType: number, varint: number): void {
    this.#varint(varint);
    this.#varint(number * 8 + wireType);
  }

  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    this.#start = this.#room(size);
    let rest = value;
    for (let at = this.#start; at < this.#start + size - 1; at++) {
      this.#bytes[at] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#start + size - 1] = rest;
  }

  /** Where `size` more bytes would begin. Makes room for them. */
  #room(size: number): number {
    if (size > this.#start) {
      const { length } = this;
      const larger = new Uint8Array(2 * (length + size));
      larger.set(this.#bytes.subarray(this.#start), larger.byteLength - length);
      this.#bytes = larger;
      this.#start = larger.byteLength - length;
    }
    return this.#start - size;
  }
}

const utf8 = new TextEncoder();
