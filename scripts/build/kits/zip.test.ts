import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { zip } from "./zip.ts";

/** Reads as an unzip program does: from the directory at the end. */
function unzip(bytes: Buffer): [path: string, text: string][] {
  const end = bytes.length - 22;
  assert.equal(bytes.readUInt32LE(end), 0x06054b50);
  let at = bytes.readUInt32LE(end + 16);
  return Array.from({ length: bytes.readUInt16LE(end + 10) }, () => {
    assert.equal(bytes.readUInt32LE(at), 0x02014b50);
    const [packed, size, name] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24), bytes.readUInt16LE(at + 28)];
    const path = bytes.toString("utf8", at + 46, at + 46 + name);
    const file = bytes.readUInt32LE(at + 42);
    at += 46 + name;
    assert.equal(bytes.readUInt32LE(file), 0x04034b50);
    const text = inflateRawSync(bytes.subarray(file + 30 + name, file + 30 + name + packed));
    assert.equal(text.length, size);
    return [path, text.toString()];
  });
}

test("a zip file has what was put into it, and the same bytes each time", () => {
  const files = [
    { path: "a@v1/ä.txt", bytes: Buffer.from("text ".repeat(1000)) },
    { path: "a@v1/empty", bytes: Buffer.alloc(0) },
  ];
  assert.deepEqual(
    unzip(zip(files)),
    files.map(({ path, bytes }) => [path, bytes.toString()]),
  );
  assert.deepEqual(zip(files), zip(files));
});
