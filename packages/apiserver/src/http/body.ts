import type { Readable } from "node:stream";
import type { UnreadBody, UnreadBodyProblem } from "../contracts/http.ts";

/** Stays with the connection, where flow control stops the client after a while, until somebody asks for it. */
export class StreamedBody implements UnreadBody {
  readonly announced: number | undefined;
  readonly #stream: Readable;
  #reading: Reading | undefined;

  constructor(stream: Readable, contentLength: string | undefined) {
    this.#stream = stream;
    this.announced = contentLength === undefined ? undefined : Number(contentLength);
  }

  /** Whether all of it has come. */
  get complete(): boolean {
    return this.#stream.readableEnded;
  }

  read(limit: number, hasRoom: (bytes: number) => boolean): Promise<Uint8Array | UnreadBodyProblem> {
    if (this.#stream.destroyed) return Promise.resolve("aborted");
    if (this.announced !== undefined && this.announced > limit) return Promise.resolve("too large");
    const { promise, resolve } = Promise.withResolvers<Uint8Array | UnreadBodyProblem>();
    this.#reading = new Reading(limit, hasRoom, resolve);
    this.#listen();
    return promise;
  }

  /** For whoever has the stream, when it has closed: nobody else need listen for that. */
  close(): void {
    this.#finish()?.resolve("aborted");
  }

  #listen(): void {
    this.#stream.on("data", (chunk: Buffer) => this.#reading?.take(chunk));
    this.#stream.on("end", () => this.#finish()?.end());
  }

  /** Node keeps streams, with what listens to them, for a while after they have ended. */
  #finish(): Reading | undefined {
    const reading = this.#reading;
    this.#reading = undefined;
    return reading;
  }
}

const empty = new Uint8Array(0);

/** What has come of a body that somebody waits for. */
class Reading {
  readonly resolve: (outcome: Uint8Array | UnreadBodyProblem) => void;
  readonly #limit: number;
  readonly #hasRoom: (bytes: number) => boolean;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #problem: UnreadBodyProblem | undefined;

  constructor(limit: number, hasRoom: (bytes: number) => boolean, resolve: Reading["resolve"]) {
    this.#limit = limit;
    this.#hasRoom = hasRoom;
    this.resolve = resolve;
  }

  take(chunk: Uint8Array): void {
    // The rest is thrown away as it comes.
    if (this.#problem !== undefined) return;
    this.#size += chunk.byteLength;
    this.#problem = this.#size > this.#limit ? "too large" : this.#hasRoom(chunk.byteLength) ? undefined : "no room";
    if (this.#problem === undefined) return void this.#chunks.push(chunk);
    this.#chunks.length = 0;
    this.resolve(this.#problem);
  }

  end(): void {
    const [first = empty] = this.#chunks;
    this.resolve(this.#problem ?? (this.#chunks.length > 1 ? Buffer.concat(this.#chunks, this.#size) : first));
  }
}
