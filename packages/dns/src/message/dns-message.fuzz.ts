/** Packets from anywhere: read or refused, written again as they were read, and answered in bounded size. */
import assert from "node:assert/strict";
import type { Random } from "../../../../tests/fuzz/harness/random.ts";
import { bytesOf, type FuzzTarget, inputOf, unlessRefused } from "../../../../tests/fuzz/harness/target.ts";
import { decodeHeader, decodeMessage } from "./decode-message.ts";
import { encodeMessage } from "./encode-message.ts";
import { FormatError } from "./format-error.ts";
import { labelsOf, nameBytes } from "./name.ts";

const isFormatError = (error: unknown): boolean => error instanceof FormatError;
const number = (value: number): string => String.fromCharCode((value >> 8) & 255, value & 255);
const names = [
  "\x03web\x04shop\x00",
  "\x00",
  "\xc0\x0c",
  "\xc0\x10",
  "\xc0\x00",
  "\x01a\xc0\x0c",
  "\x01*\x00",
  "\x03a.b\x01\\\x00",
  "\x40a\x00",
  "\x3f",
];

function record(random: Random): string {
  const type = random.pick([1, 2, 5, 6, 12, 15, 16, 28, 33, 41, 65, 250]);
  const data = random.pick(["", "\x0a\x00\x00\x01", "\x00\x0a".concat(random.pick(names)), random.pick(names), "\x00".repeat(16)]);
  const length = random.oneIn(10) ? random.below(300) : data.length;
  return `${random.pick(names)}${number(type)}${number(1)}${number(random.below(0x10000))}${number(30)}${number(length)}${data}`;
}

function packet(random: Random): string {
  const counts = [1, random.below(3), random.below(2), random.below(3)];
  const said = random.oneIn(10) ? counts.map(() => random.pick([0, 1, 7, 0xffff])) : counts;
  const questions = `${random.pick(names)}${number(random.pick([1, 28, 33, 255]))}${number(1)}`;
  const records = counts.slice(1).flatMap((count) => Array.from({ length: count }, () => record(random)));
  return `${number(random.below(0x10000))}${number(random.below(0x10000))}${said.map(number).join("")}${questions}${records.join("")}`;
}

export const target: FuzzTarget = {
  name: "dns-message",
  modules: ["dns/src/message"],
  bytes: true,
  dictionary: ["\xc0\x0c", "\xc0\xff", "\xff\xff", "\x00\x29", "\x00\x01", "\x3f", "\x00", "\x00\x00\x00\x1e"],
  seeds: [
    inputOf(Buffer.from("123401000001000000000001037765620473686f70037376630000010001000029100000000000000", "hex")),
    `\x12\x34\x81\x80${number(1)}${number(1)}${number(0)}${number(0)}\x03web\x00${number(1)}${number(1)}\xc0\x0c${number(5)}${number(1)}\0\0\0\x1e${number(4)}\x01a\xc0\x0c`,
  ],
  generate: packet,
  judge(input) {
    const bytes = bytesOf(input);
    const message = unlessRefused(() => decodeMessage(bytes), isFormatError);
    if (message === undefined) return false;
    assert.equal(decodeHeader(bytes)?.id, message.id);
    for (const { name } of message.questions) assert.ok(nameBytes(name).length <= 255 && labelsOf(name).length < 128);
    const written = encodeMessage(message, 1 << 20);
    // What was small because names were compressed in it may be too large without.
    if (written.length <= 65_535)
      assert.deepEqual(decodeMessage(written), { ...message, rcode: message.edns === undefined ? message.rcode & 15 : message.rcode });
    const short = encodeMessage(message, 512);
    const shortened = decodeMessage(short);
    assert.ok(shortened.truncated || short.length === written.length);
    return true;
  },
};
