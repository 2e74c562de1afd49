import type { Readable } from "node:stream";
import type { UnreadBody, UnreadBodyProblem } from "../contracts/http.ts";

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

  read(limit: number, hasRoom: (bytes: number) => boolean): Promise<Uint8Array | UnreadBodyProblem> {
    const stream = this.#stream;
    if (stream.destroyed) return Promise.resolve("aborted");
    if (this.announced !== undefined && this.announced > limit) return Promise.resolve("too large");
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let problem: UnreadBodyProblem | undefined;
      stream.on("data", (chunk: Buffer) => {
        // The rest is thrown away as it comes.
        if (problem !== undefined) return;
        size += chunk.byteLength;
        problem = size > limit ? "too large" : hasRoom(chunk.byteLength) ? undefined : "no room";
        if (problem === undefined) return void chunks.push(chunk);
        chunks.length = 0;
        resolve(problem);
      });
      stream.on("end", () => resolve(problem ?? (chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks, size))));
      stream.on("close", () => resolve("aborted"));
      stream.on("error", () => resolve("aborted"));
    });
  }
}
