/**
 * What clients of commands and forwarded ports send over WebSockets, in each of the protocols: channels get what a model says,
 * however it is cut into pieces, and the connection ends with the client's bytes. The first character says which protocol.
 */
import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { Random } from "../../../../../tests/fuzz/harness/random.ts";
import { bytesOf, type FuzzTarget, inputOf } from "../../../../../tests/fuzz/harness/target.ts";
import { acceptWebSocket, ChannelSocket } from "./channel-socket.ts";
import { commandProtocols } from "./command-streams.ts";

const readable = [0, 4];

function frame(random: Random): string {
  const payload = random.pick([
    `${String.fromCharCode(random.pick([0, 1, 4, 5, 0x30, 0x34, 0xff]))}${random.pick(["", "abc", "YWJj", "\0", "\x04", "x".repeat(200)])}`,
    "\xff\0",
    "\xff\x04",
    `\x03\xe8${random.pick(["", "bye"])}`,
    "\x03",
    "",
  ]);
  const first = random.pick([0x82, 0x82, 0x82, 0x81, 0x02, 0x80, 0x00, 0x88, 0x89, 0x8a, 0xc2, 0x83]);
  const mask = random.oneIn(12) ? 0 : 0x80;
  const length = random.oneIn(12) ? random.below(128) : Math.min(payload.length, 126);
  const extended = length === 126 ? String.fromCharCode(payload.length >> 8, payload.length & 255) : "";
  const masked = [...payload].map((one, i) => String.fromCharCode(one.charCodeAt(0) ^ "abcd".charCodeAt(i % 4))).join("");
  return `${String.fromCharCode(first, mask | length)}${extended}${mask === 0 ? payload : `abcd${masked}`}`;
}

export const target: FuzzTarget = {
  name: "websocket-channels",
  modules: ["kubelet/src/streams/websocket", "kubelet/src/streams/byte-queue.ts"],
  bytes: true,
  dictionary: [
    "\x82\x82abcd\x61\x1a",
    "\x82\x82abcd\x9e\x62",
    "\x88\x80abcd",
    "\x89\x80abcd",
    "\x00\x80abcd",
    "\x80\x80abcd",
    "\x88\x82abcd\x62\x8a",
  ],
  seeds: ["\0\x82\x84abcda\x03\x01\x07", "\x01\x02\x82abcda\x1a\x80\x81abcd\x1b", "\x02\x81\x85abcdQ;4.S", "\x03\x88\x82abcd\x62\x8a"],
  generate: (random) =>
    `${String.fromCharCode(random.below(6))}${Array.from({ length: 1 + random.below(6) }, () => frame(random)).join("")}`,
  async judge(input) {
    const protocol = commandProtocols[input.charCodeAt(0) % commandProtocols.length] ?? "";
    const bytes = Buffer.from(bytesOf(input.slice(1)));
    const whole = await served(protocol, [bytes]);
    const pieces = Array.from({ length: Math.min(64, Math.ceil(bytes.length / 3)) }, (_, i) =>
      bytes.subarray(3 * i, i === 63 ? undefined : 3 * i + 3),
    );
    assert.deepEqual(await served(protocol, pieces), whole, "pieces say something else than the whole");
    return whole.some((text) => text !== "");
  },
};

/** What was read of each channel. */
async function served(protocol: string, pieces: readonly Buffer[]): Promise<readonly string[]> {
  const answers: Buffer[] = [];
  const { promise: isGone, resolve: gone } = Promise.withResolvers<void>();
  const connection = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      answers.push(chunk);
      done();
    },
  });
  connection.once("close", gone);
  const accepted = await acceptWebSocket(upgradeRequest(), connection, Buffer.alloc(0), protocol);
  assert.ok(accepted !== undefined);
  const channels = new ChannelSocket(accepted, { base64: protocol.includes("base64"), closes: protocol.startsWith("v5."), readable });
  const reading = readable.map(async (channel) => Buffer.concat(await Array.fromAsync(channels.read(channel) ?? [])));
  // What is masked is unmasked in its place.
  for (const piece of pieces) connection.push(Buffer.from(piece));
  connection.push(null);
  const read = await Promise.all(reading);
  await channels.closed;
  await isGone;
  checkAnswer(Buffer.concat(answers));
  return read.map(inputOf);
}

function upgradeRequest(): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.method = "GET";
  request.headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
  };
  return request;
}

/** What a server sends is whole and unmasked, whatever came. */
function checkAnswer(sent: Buffer): void {
  const head = sent.indexOf("\r\n\r\n");
  assert.match(sent.toString("latin1", 0, Math.max(0, head)), /^HTTP\/1\.1 101 /);
  let at = head + 4;
  while (at < sent.length) {
    const second = sent[at + 1] ?? 0;
    assert.ok(second < 127, "the server masks, or sends what is longer than all it was sent");
    at += second === 126 ? 4 + sent.readUInt16BE(at + 2) : 2 + second;
  }
  assert.equal(at, sent.length, "the last frame is not whole");
}
