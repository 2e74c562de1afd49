/**
 * The parts of a recording: each is some records as lines of JSON, compressed by themselves, behind twelve bytes that say how long they are
 * and what their sum is. So a reader needs one part at a time, and knows of each whether it is whole.
 */
import { crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { RecordingError } from "./format.ts";

/** Length compressed, length, CRC-32 of the compressed bytes: 32 bits each, little endian. */
const headBytes = 12;
/** Of a part before it is compressed: more than the largest object that a server takes. */
export const maxPartBytes = 32 * 1024 * 1024;

export function encodePart(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const compressed = zstdCompressSync(bytes);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(compressed.byteLength, 0);
  head.writeUInt32LE(bytes.byteLength, 4);
  head.writeUInt32LE(crc32(compressed), 8);
  return Buffer.concat([head, compressed]);
}

/** Gives the next so many bytes, or fewer where the file ends before. */
export type ReadBytes = (count: number) => Uint8Array;

/** The texts of the parts up to the last whole one; returns whether the file ended behind it. @throws RecordingError for what is damaged */
export function* readParts(read: ReadBytes): Generator<string, boolean, undefined> {
  for (let number = 1; ; number++) {
    const head = Buffer.from(read(headBytes));
    if (head.byteLength < headBytes) return head.byteLength === 0;
    const [compressedBytes, bytes, sum] = [head.readUInt32LE(0), head.readUInt32LE(4), head.readUInt32LE(8)];
    if (bytes > maxPartBytes || compressedBytes > maxPartBytes) throw damaged(number, "it would be larger than any part may be");
    const compressed = read(compressedBytes);
    if (compressed.byteLength < compressedBytes) return false;
    if (crc32(compressed) !== sum) throw damaged(number, "its sum is another one than when it was written");
    yield decompressed(compressed, bytes, number);
  }
}

/** Never more bytes than the head promised. */
function decompressed(compressed: Uint8Array, bytes: number, number: number): string {
  try {
    const text = zstdDecompressSync(compressed, { maxOutputLength: Math.max(bytes, 1) });
    if (text.byteLength === bytes) return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch (cause) {
    throw damaged(number, "it cannot be decompressed to what it says", cause);
  }
  throw damaged(number, "it is not as long as it says");
}

const damaged = (number: number, why: string, cause?: unknown): RecordingError =>
  new RecordingError(`part ${number} is damaged: ${why}`, { cause });
