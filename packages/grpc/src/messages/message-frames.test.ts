import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MessageFrames, messageFrame } from "./message-frames.ts";

test("messages are found however their bytes are cut", () => {
  const message = fc.uint8Array({ maxLength: 30 });
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), (messages, lengths) => {
      const bytes = Buffer.concat(messages.map(messageFrame));
      const frames = new MessageFrames(30);
      const found: Buffer[] = [];
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const end = at + (lengths[i % lengths.length] ?? 1);
        found.push(...frames.push(bytes.subarray(at, end)));
        at = end;
      }
      assert.deepEqual(
        found,
        messages.map((one) => Buffer.from(one)),
      );
      assert.equal(frames.isPartial, false);
    }),
  );
});

test("a message that has begun is not whole", () => {
  const frames = new MessageFrames(30);
  assert.deepEqual(frames.push(messageFrame(Buffer.from("abc")).subarray(0, 7)), []);
  assert.equal(frames.isPartial, true);
});

const refused = [
  { name: "too large", header: [0, 0, 0, 0, 31], code: 8, details: "grpc: received message larger than max (31 vs. 30)" },
  { name: "compressed", header: [1, 0, 0, 0, 1], code: 13, details: 'grpc: Compressor is not installed for requested grpc-encoding ""' },
  { name: "of an unknown form", header: [7, 0, 0, 0, 1], code: 13, details: "grpc: received unexpected payload format 7" },
];
for (const { name, header, code, details } of refused)
  test(`a message that is ${name} is refused by its first bytes`, () =>
    assert.throws(() => new MessageFrames(30).push(Buffer.from(header)), { name: "GrpcError", code, details }));
