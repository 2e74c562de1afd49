/** Messages to bytes: names of owners are compressed, and what exceeds the size is left out. */
import { type Edns, type Header, type Message, type ResourceRecord, recordType } from "./message.ts";
import { labelBytes, labelsOf } from "./name.ts";

/** The largest message of TCP. */
export const maxMessageLength = 65_535;
const headerLength = 12;
const ednsLength = 11;
/** Pointers have 14 bits. */
const maxPointer = 0x3fff;

/**
 * Records that do not fit are left out, those of the last section first, and the message then says that it is truncated.
 * @throws FormatError for names that cannot be written
 */
export function encodeMessage(message: Message, maxLength = maxMessageLength): Uint8Array {
  const writer = new Writer(maxLength - (message.edns === undefined ? 0 : ednsLength));
  for (const question of message.questions) {
    writer.name(question.name);
    writer.uint16(question.type);
    writer.uint16(question.class);
  }
  const counts = [message.answers, message.authorities, message.additionals].map((records) => writer.records(records));
  const [answers = 0, authorities = 0, additionals = 0] = counts;
  if (message.edns !== undefined) writer.edns(message.edns, message.rcode);
  const truncated = message.truncated || writer.isFull;
  writer.header({ ...message, truncated }, [
    message.questions.length,
    answers,
    authorities,
    additionals + (message.edns === undefined ? 0 : 1),
  ]);
  return writer.bytes();
}

class Writer {
  #bytes = Buffer.allocUnsafe(512);
  #end = headerLength;
  readonly #maxLength: number;
  /** Where a name, in the letters it was written in, can be pointed to. */
  readonly #names = new Map<string, number>();
  /** Nothing that comes after what did not fit is written, so that no record stands without those before it. */
  isFull = false;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  records(records: readonly ResourceRecord[]): number {
    let count = 0;
    for (const record of records) {
      if (this.isFull) break;
      const start = this.#end;
      this.#record(record);
      if (this.#end <= this.#maxLength) count++;
      else {
        this.#takeBack(start);
        this.isFull = true;
      }
    }
    return count;
  }

  #record({ name, type, class: recordClass, ttl, data }: ResourceRecord): void {
    this.name(name);
    this.#room(10 + data.length);
    this.uint16(type);
    this.uint16(recordClass);
    this.#uint32(ttl);
    this.uint16(data.length);
    this.#bytes.set(data, this.#end);
    this.#end += data.length;
  }

  #takeBack(start: number): void {
    this.#end = start;
    for (const [name, at] of this.#names) if (at >= start) this.#names.delete(name);
  }

  edns({ udpSize, version, dnssecOk }: Edns, rcode: number): void {
    this.#room(ednsLength);
    this.#bytes[this.#end++] = 0;
    this.uint16(recordType.OPT);
    this.uint16(udpSize);
    this.#uint32((((rcode >> 4) << 24) | (version << 16) | (dnssecOk ? 0x8000 : 0)) >>> 0);
    this.uint16(0);
  }

  name(name: string): void {
    let rest = name;
    while (rest !== "." && rest !== "") {
      const known = this.#names.get(rest);
      if (known !== undefined) {
        this.uint16(0xc000 | known);
        return;
      }
      if (this.#end <= maxPointer) this.#names.set(rest, this.#end);
      rest = this.#label(rest);
    }
    this.#room(1);
    this.#bytes[this.#end++] = 0;
  }

  /** Returns what of the name comes after its first label. */
  #label(name: string): string {
    const dot = name.indexOf(".");
    const plain = dot < 0 ? name : name.slice(0, dot);
    const isPlain = plain.length > 0 && plain.length <= 63 && !name.includes("\\");
    const [label = ""] = isPlain ? [plain] : labelsOf(name);
    const bytes = isPlain ? undefined : labelBytes(label);
    const length = bytes?.length ?? plain.length;
    this.#room(length + 1);
    this.#bytes[this.#end++] = length;
    if (bytes === undefined) this.#bytes.write(plain, this.#end, "latin1");
    else this.#bytes.set(bytes, this.#end);
    this.#end += length;
    return name.slice(label.length + 1);
  }

  uint16(value: number): void {
    this.#room(2);
    this.#end = this.#bytes.writeUInt16BE(value, this.#end);
  }

  #uint32(value: number): void {
    this.#room(4);
    this.#end = this.#bytes.writeUInt32BE(value, this.#end);
  }

  header(header: Header, counts: readonly number[]): void {
    const flags =
      (header.isResponse ? 0x8000 : 0) |
      (header.opcode << 11) |
      (header.authoritative ? 0x0400 : 0) |
      (header.truncated ? 0x0200 : 0) |
      (header.recursionDesired ? 0x0100 : 0) |
      (header.recursionAvailable ? 0x0080 : 0) |
      (header.authenticData ? 0x0020 : 0) |
      (header.checkingDisabled ? 0x0010 : 0) |
      (header.rcode & 0xf);
    this.#bytes.writeUInt16BE(header.id, 0);
    this.#bytes.writeUInt16BE(flags, 2);
    for (const [i, count] of counts.entries()) this.#bytes.writeUInt16BE(count, 4 + 2 * i);
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  #room(length: number): void {
    if (this.#end + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#end + length));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
  }
}
