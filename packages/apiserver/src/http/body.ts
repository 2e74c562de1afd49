import type { Readable } from "node:stream";

const empty = new Uint8Array(0);

/** Collects a body of at most `limit` bytes. The rest of a larger one is thrown away as it comes. */
export function readBody(
  stream: Readable,
  contentLength: string | undefined,
  limit: number,
): Promise<Uint8Array | "too large" | "aborted"> {
  if (contentLength !== undefined && Number(contentLength) > limit) {
    stream.resume();
    return Promise.resolve("too large");
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on("data", (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size <= limit) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve("too large");
      }
    });
    stream.on("end", () => resolve(size > limit ? "too large" : chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks, size)));
    stream.on("close", () => resolve("aborted"));
    stream.on("error", () => resolve("aborted"));
  });
}
