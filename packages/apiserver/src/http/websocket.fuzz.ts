/** What clients of a watch send on a WebSocket: read alike however it is cut into pieces. */
import assert from "node:assert/strict";
import type { Random } from "../../../../tests/fuzz/harness/random.ts";
import { bytesOf, type FuzzTarget } from "../../../../tests/fuzz/harness/target.ts";
import { ClientFrames, type Said } from "./websocket.ts";

function frame(random: Random): string {
  const length = random.pick([0, 1, 5, 125, 126, 300]);
  const first = random.pick([0x81, 0x82, 0x88, 0x89, 0x8a, 0x01, 0x00, 0x8b, 0xf1]);
  const mask = random.oneIn(10) ? 0 : 0x80;
  const said = random.oneIn(10) ? random.below(128) : Math.min(length, 126);
  const extended = said === 126 ? String.fromCharCode(length >> 8, length & 255) : said === 127 ? "\0\0\0\0\0\0\x01\0" : "";
  return `${String.fromCharCode(first, mask | said)}${extended}${mask === 0 ? "" : "abcd"}${"x".repeat(length)}`;
}

export const target: FuzzTarget = {
  name: "websocket-frames",
  modules: ["apiserver/src/http/websocket.ts"],
  bytes: true,
  dictionary: [
    "\x81\x80abcd",
    "\x89\x80abcd",
    "\x88\x80abcd",
    "\x82\xfe\0\x80abcd",
    "\x82\xff\0\0\0\0\0\0\0\x01abcd",
    "\x82\xff\xff\xff\xff\xff\xff\xff\xff\xffabcd",
  ],
  seeds: ["\x81\x83abcdxyz", "\x89\x80abcd\x88\x82abcdxy", "\x82\xfe\x01\0abcd".padEnd(270, "x")],
  generate: (random) => Array.from({ length: 1 + random.below(6) }, () => frame(random)).join(""),
  judge(input) {
    const bytes = Buffer.from(bytesOf(input));
    const whole = new ClientFrames().read(bytes);
    const frames = new ClientFrames();
    const inPieces: Said[] = [];
    for (let at = 0; at < bytes.length && !inPieces.some(ends); at += 3) inPieces.push(...frames.read(bytes.subarray(at, at + 3)));
    assert.deepEqual(inPieces, whole, "pieces say something else than the whole");
    return !whole.some(({ kind }) => kind === "nonsense");
  },
};

const ends = ({ kind }: Said): boolean => kind !== "ping";
