import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { acceptKey, ClientFrames, framed, type Said } from "./websocket.ts";

test("the accepted key is that of RFC 6455", () => {
  assert.equal(acceptKey("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
});

const lengthHeaders = [
  { length: 125, header: [0x81, 125] },
  { length: 126, header: [0x81, 126, 0, 126] },
  { length: 0xffff, header: [0x81, 126, 0xff, 0xff] },
  { length: 0x10000, header: [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0] },
];
for (const { length, header } of lengthHeaders)
  test(`a message of ${length} bytes begins with ${header.length} more`, () => {
    const frame = framed(Buffer.from(`${"x".repeat(length - 1)}\n`), "lines");
    assert.deepEqual([...frame.subarray(0, header.length)], header);
    assert.equal(frame.length, header.length + length);
  });

test("each line is a message of text, with its newline", () => {
  assert.equal(Buffer.from(framed(Buffer.from("a\nbc\n"), "lines")).toString("latin1"), "\x81\x02a\n\x81\x03bc\n");
});

test("each part of a stated length is a binary message without the length", () => {
  assert.equal(
    Buffer.from(framed(Buffer.from("\0\0\0\x02a\n\0\0\0\0\0\0\0\x01b"), "lengths")).toString("latin1"),
    "\x82\x02a\n\x82\x00\x82\x01b",
  );
});

interface Frame {
  readonly opcode: number;
  readonly payload: Uint8Array;
}

/** As a client sends it. */
function masked({ opcode, payload }: Frame): Buffer {
  const mask = [7, 77, 177, 222];
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
  const start = [0x80 | opcode, 0x80 | (length[0] ?? 0), ...length.slice(1), ...mask];
  return Buffer.concat([Buffer.from(start), payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0))]);
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const frames: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ opcode: fc.constantFrom(0, 1, 2), payload: bytes(300) }),
  fc.record({ opcode: fc.constantFrom(9, 10), payload: bytes(125) }),
);

test("pings between messages are read, however the bytes arrive", () => {
  fc.assert(
    fc.property(fc.array(frames), fc.infiniteStream(fc.integer({ min: 1, max: 40 })), (sent, sizes) => {
      const all = Buffer.concat([...sent, { opcode: 8, payload: Buffer.from([3, 0xe8]) }].map(masked));
      const reader = new ClientFrames();
      const said: Said[] = [];
      for (let at = 0; at < all.length; ) {
        const size: number = sizes.next().value;
        said.push(...reader.read(all.subarray(at, at + size)));
        at += size;
      }
      const received = said.map((one) => (one.kind === "ping" ? [...one.payload] : one.kind));
      const pings = sent.filter(({ opcode }) => opcode === 9).map(({ payload }) => [...payload]);
      assert.deepEqual(received, [...pings, "close"]);
    }),
  );
});

test("what is not masked, or too long for a control frame, is nonsense", () => {
  assert.deepEqual(new ClientFrames().read(Buffer.from([0x81, 1, 0x61])), [{ kind: "nonsense" }]);
  assert.deepEqual(new ClientFrames().read(masked({ opcode: 9, payload: new Uint8Array(126) })), [{ kind: "nonsense" }]);
});
