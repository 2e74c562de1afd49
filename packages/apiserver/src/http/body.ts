import type { Readable } from "node:stream";
import type { UnreadBody } from "../contracts/http.ts";

const empty = new Uint8Array(0);

/** Stays with the connection, where flow control stops the client after a while, until somebody asks for it. */
export class StreamedBody implements UnreadBody {
  readonly announced: number | undefined;
  readonly #stream: Readable;

  constructor(stream: Readable, contentLength: string | undefined) {
    this.#stream = stream;
    this.announced = contentLength === undefined ? undefined : Number(contentLength);
  }

  /** Whether all of it has come. */
  get complete(): boolean {
    return this.#stream.readableEnded;
  }

  read(limit: number): Promise<Uint8Array | "too large" | "aborted"> {
    const stream = this.#stream;
    if (stream.destroyed) return Promise.resolve("aborted");
    if (this.announced !== undefined && this.announced > limit) return Promise.resolve("too large");
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let size = 0;
      stream.on("data", (chunk: Buffer) => {
        size += chunk.byteLength;
        if (size <= limit) chunks.push(chunk);
        else {
          // The rest is thrown away as it comes.
          chunks.length = 0;
          resolve("too large");
        }
      });
      stream.on("end", () =>
        resolve(size > limit ? "too large" : chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks, size)),
      );
      stream.on("close", () => resolve("aborted"));
      stream.on("error", () => resolve("aborted"));
    });
  }
}
