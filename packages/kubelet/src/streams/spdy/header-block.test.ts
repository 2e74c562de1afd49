import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FrameReader } from "./frame-reader.ts";
import { HeaderPacker, HeaderUnpacker } from "./header-block.ts";
import { SpdyError } from "./spdy-error.ts";

const name = fc.stringMatching(/^[a-z-]{1,12}$/);
const block = fc.dictionary(name, fc.string({ maxLength: 2_000 }), { maxKeys: 8 });

test("what one end packs the other unpacks, block after block", () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 60 }), (blocks) => {
      const packer = new HeaderPacker();
      const unpacker = new HeaderUnpacker();
      for (const headers of blocks) assert.deepEqual({ ...unpacker.unpack(packer.pack(headers)) }, { ...headers });
    }),
    { numRuns: 50 },
  );
});

/** Made with github.com/moby/spdystream 0.5.1. */
const recorded = Buffer.from(
  "gAMAAQAAAD4AAAABAAAAAAAAePnjxqfCAiU6cDorKUpNzIUWJaypoICGFMtF4BxgYWBhwMDAwFkEicZMUPJmNAAAAAD//4ADAAEAAAAfAAAAAwAAAAAAAIJqRhU1xDSuuCQlMw/dOAAAAAD//4ADAAEAAAAdAAAABQAAAAAAAMJqM1txSUo+uArAb7URAAAA//8AAAADAQAAAmhpgAMABgAAAAQAAAAB",
  "base64",
);

test("the frames of Kubernetes' own clients, however they are cut", () => {
  for (const size of [1, 7, recorded.length]) {
    const reader = new FrameReader();
    const unpacker = new HeaderUnpacker();
    const read: unknown[] = [];
    for (let at = 0; at < recorded.length; at += size) {
      for (const frame of reader.read(recorded.subarray(at, at + size))) {
        if (frame.kind === "data") read.push([frame.id, Buffer.from(frame.data).toString(), frame.fin]);
        else if (frame.type === 1) read.push({ ...unpacker.unpack(frame.payload.subarray(10)) });
        else read.push(["ping", frame.payload.readUInt32BE(0)]);
      }
    }
    assert.deepEqual(read.slice(0, 3), [
      { streamtype: "error", port: "8080", requestid: "0" },
      { streamtype: "stdin", port: "8080", requestid: "1" },
      { streamtype: "stdout", port: "8080", requestid: "2" },
    ]);
    assert.equal(
      read
        .slice(3, -1)
        .map((piece) => (piece as string[])[1])
        .join(""),
      "hi",
    );
    assert.deepEqual(read.at(-1), ["ping", 1]);
  }
});

test("nonsense is refused", () => {
  const random = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(random, (bytes) => {
      try {
        new HeaderUnpacker().unpack(bytes);
      } catch (error) {
        assert.ok(error instanceof SpdyError, String(error));
      }
    }),
  );
});
