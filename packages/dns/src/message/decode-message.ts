/** Bytes to messages. What it does is bounded by the length of the bytes, whatever the counts in them say. */
import { FormatError } from "./format-error.ts";
import { type Edns, type Header, type Message, type Question, type ResourceRecord, recordType } from "./message.ts";
import { nameBytes, readName } from "./name.ts";

const headerLength = 12;
const dnssecOkBit = 0x8000;

/** What the first twelve bytes say. */
export interface DecodedHeader extends Header {
  readonly counts: readonly [questions: number, answers: number, authorities: number, additionals: number];
}

/** Undefined for what is too short. */
export function decodeHeader(bytes: Uint8Array): DecodedHeader | undefined {
  if (bytes.length < headerLength) return undefined;
  const flags = uint16(bytes, 2);
  return {
    id: uint16(bytes, 0),
    isResponse: (flags & 0x8000) !== 0,
    opcode: (flags >> 11) & 0xf,
    authoritative: (flags & 0x0400) !== 0,
    truncated: (flags & 0x0200) !== 0,
    recursionDesired: (flags & 0x0100) !== 0,
    recursionAvailable: (flags & 0x0080) !== 0,
    authenticData: (flags & 0x0020) !== 0,
    checkingDisabled: (flags & 0x0010) !== 0,
    rcode: flags & 0xf,
    counts: [uint16(bytes, 4), uint16(bytes, 6), uint16(bytes, 8), uint16(bytes, 10)],
  };
}

/** Reads a whole message; bytes behind it are ignored. @throws FormatError */
export function decodeMessage(bytes: Uint8Array): Message {
  const header = decodeHeader(bytes);
  if (header === undefined) throw new FormatError("a message is too short");
  const { counts, ...rest } = header;
  const reader = new Reader(bytes, headerLength);
  const questions = Array.from({ length: bounded(counts[0], bytes) }, () => reader.question());
  const answers = reader.records(counts[1]);
  const authorities = reader.records(counts[2]);
  const additionals = reader.records(counts[3]);
  const [opt, ...others] = additionals.filter(({ type }) => type === recordType.OPT);
  if (others.length > 0) throw new FormatError("a message has more than one OPT record");
  return {
    ...rest,
    rcode: opt === undefined ? rest.rcode : ((opt.ttl >>> 24) << 4) | rest.rcode,
    questions,
    answers,
    authorities,
    additionals: opt === undefined ? additionals : additionals.filter(({ type }) => type !== recordType.OPT),
    edns: opt === undefined ? undefined : ednsOf(opt),
  };
}

const ednsOf = ({ class: udpSize, ttl }: ResourceRecord): Edns => ({
  udpSize,
  version: (ttl >>> 16) & 0xff,
  dnssecOk: (ttl & dnssecOkBit) !== 0,
});

/** A question has at least 5 bytes, a record 11: no message has room for more than this. */
function bounded(count: number, bytes: Uint8Array): number {
  if (count * 5 > bytes.length) throw new FormatError("a message has more records than bytes for them");
  return count;
}

const uint16 = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);

/** What is remembered must not keep the whole packet. */
const copied = (bytes: Uint8Array, from: number, to: number): Uint8Array => new Uint8Array(bytes.subarray(from, to));

class Reader {
  readonly #bytes: Uint8Array;
  #at: number;
  /** What names without compression may take in all: pointers let a small message name a long name often. */
  #budget: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
    this.#budget = 0x10000 + 8 * bytes.length;
  }

  question(): Question {
    const name = this.#name();
    return { name, type: this.#uint16(), class: this.#uint16() };
  }

  records(count: number): ResourceRecord[] {
    return Array.from({ length: bounded(count, this.#bytes) }, () => this.#record());
  }

  #record(): ResourceRecord {
    const name = this.#name();
    const type = this.#uint16();
    const recordClass = this.#uint16();
    // A time with its highest bit set counts as none (RFC 2181, section 8); of OPT records it is no time.
    const ttl = this.#uint16() * 0x10000 + this.#uint16();
    const length = this.#uint16();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new FormatError("a record goes beyond the message");
    const data = this.#data(type, end);
    this.#at = end;
    return { name, type, class: recordClass, ttl: type !== recordType.OPT && ttl > 0x7fffffff ? 0 : ttl, data };
  }

  /** Names in the data of these types may be compressed (RFC 3597, section 4). */
  #data(type: number, end: number): Uint8Array {
    switch (type) {
      case recordType.NS:
      case recordType.CNAME:
      case recordType.PTR:
        return this.#parts(0, 1, 0, end);
      case recordType.MX:
        return this.#parts(2, 1, 0, end);
      case recordType.SRV:
        return this.#parts(6, 1, 0, end);
      case recordType.SOA:
        return this.#parts(0, 2, 20, end);
      case recordType.A:
        return this.#parts(4, 0, 0, end);
      case recordType.AAAA:
        return this.#parts(16, 0, 0, end);
      default:
        return copied(this.#bytes, this.#at, end);
    }
  }

  #parts(before: number, names: number, after: number, end: number): Uint8Array {
    const parts = [this.#take(before, end)];
    for (let i = 0; i < names; i++) parts.push(nameBytes(this.#name()));
    parts.push(this.#take(after, end));
    if (this.#at !== end) throw new FormatError("the data of a record have another length than it says");
    return new Uint8Array(Buffer.concat(parts));
  }

  #take(length: number, end: number): Uint8Array {
    const from = this.#at;
    this.#at += length;
    if (this.#at > end) throw new FormatError("the data of a record are too short");
    return this.#bytes.subarray(from, this.#at);
  }

  #name(): string {
    const { name, end } = readName(this.#bytes, this.#at);
    this.#at = end;
    this.#budget -= name.length;
    if (this.#budget < 0) throw new FormatError("a message has too many long names");
    return name;
  }

  #uint16(): number {
    const at = this.#at;
    if (at + 2 > this.#bytes.length) throw new FormatError("a message ends within a record");
    this.#at = at + 2;
    return uint16(this.#bytes, at);
  }
}
