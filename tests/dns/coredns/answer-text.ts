/** Messages as lines, without what differs from one time to the next: the number, the order, the serial of the zone. */
import { decodeMessage, type Message, type ResourceRecord, readName, recordType } from "@coxswain/dns";
import type { Asked } from "./questions.ts";

export interface Answer {
  readonly rcode: number;
  readonly opcode: number;
  readonly flags: string;
  readonly questions: readonly string[];
  readonly answers: readonly string[];
  readonly authorities: readonly string[];
  readonly additionals: readonly string[];
  readonly edns: string;
}

const typeOf = (name: string): number => (name === "HTTPS" ? 65 : name === "NAPTR" ? 35 : recordType[name as keyof typeof recordType]);
const nameOfType = new Map(["A", "AAAA", "CNAME", "MX", "NS", "PTR", "SOA", "SRV", "TXT"].map((name) => [typeOf(name), name]));

export const questionOf = ({ name, type, class: recordClass = 1 }: Asked) => ({ name, type: typeOf(type), class: recordClass });

export const queryOf = (asked: Asked, id: number): Message => ({
  id,
  isResponse: false,
  opcode: asked.opcode ?? 0,
  authoritative: false,
  truncated: false,
  recursionDesired: asked.recursionDesired ?? true,
  recursionAvailable: false,
  authenticData: false,
  checkingDisabled: asked.checkingDisabled ?? false,
  rcode: 0,
  questions: [questionOf(asked)],
  answers: [],
  authorities: [],
  additionals: [],
  edns:
    asked.udpSize === undefined
      ? undefined
      : { udpSize: asked.udpSize, version: asked.ednsVersion ?? 0, dnssecOk: asked.dnssecOk ?? false },
});

export function answerOf(packet: Uint8Array): Answer {
  const message = decodeMessage(packet);
  const { rcode, opcode, questions, edns } = message;
  const flags = {
    aa: message.authoritative,
    tc: message.truncated,
    rd: message.recursionDesired,
    ra: message.recursionAvailable,
    ad: message.authenticData,
    cd: message.checkingDisabled,
  };
  const lines = (records: readonly ResourceRecord[]): string[] => records.map(textOf).sort();
  return {
    rcode,
    opcode,
    flags: Object.entries(flags)
      .flatMap(([flag, isSet]) => (isSet ? [flag] : []))
      .join(" "),
    questions: questions.map(({ name, type, class: recordClass }) => `${name} ${type} ${recordClass}`),
    answers: lines(message.answers),
    authorities: lines(message.authorities),
    additionals: lines(message.additionals),
    edns: edns === undefined ? "" : `${edns.udpSize} ${edns.version} ${edns.dnssecOk}`,
  };
}

export const textOf = ({ name, type, class: recordClass, ttl, data }: ResourceRecord): string =>
  `${name} ${ttl} ${recordClass} ${nameOfType.get(type) ?? type} ${dataText(type, data)}`;

function dataText(type: number, bytes: Uint8Array): string {
  const data = Buffer.from(bytes);
  switch (type) {
    case recordType.A:
      return data.join(".");
    case recordType.CNAME:
    case recordType.PTR:
    case recordType.NS:
      return readName(data, 0).name;
    case recordType.SRV:
      return `${data.readUInt16BE(0)} ${data.readUInt16BE(2)} ${data.readUInt16BE(4)} ${readName(data, 6).name}`;
    case recordType.SOA: {
      const server = readName(data, 0);
      const mailbox = readName(data, server.end);
      const numbers = [4, 8, 12, 16].map((at) => data.readUInt32BE(mailbox.end + at));
      return `${server.name} ${mailbox.name} ${numbers.join(" ")}`;
    }
    case recordType.TXT:
      return JSON.stringify(data.subarray(1).toString("latin1"));
    default:
      return data.toString("hex");
  }
}
