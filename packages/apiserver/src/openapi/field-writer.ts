import { ProtobufWriter } from "@coxswain/machinery";

/**
 * Protobuf fields by number, written from the end to the beginning: what is to come first in a message is written last.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export class FieldWriter {
  readonly #writer = new ProtobufWriter(1024 * 1024);

  text(number: number, value: string): void {
    this.#writer.string(value);
    this.#writer.tag(number, 2);
  }

  /** @param write writes the message's fields, the last one first */
  message(number: number, write: () => void): void {
    const start = this.#writer.mark;
    write();
    this.#writer.lengthSince(start);
    this.#writer.tag(number, 2);
  }

  /** @param value a whole number from 0 to 2^53 */
  whole(number: number, value: number): void {
    this.#writer.varint(value);
    this.#writer.tag(number, 0);
  }

  double(number: number, value: number): void {
    this.#writer.double(value);
    this.#writer.tag(number, 1);
  }

  /** In a buffer of the right size. */
  finish(): Uint8Array {
    return this.#writer.finish().slice();
  }
}
