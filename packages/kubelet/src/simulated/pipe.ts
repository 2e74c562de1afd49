/** Streams of simulated containers. */
import { ByteQueue } from "../streams/byte-queue.ts";

/** A writer that is faster than the reader has to wait from here on. */
const maxWaiting = 64 * 1024;

/** Bytes from one who writes to one who reads, within the process. */
export class Pipe implements AsyncIterable<Uint8Array> {
  readonly #queue = new ByteQueue(() => this.#taken());
  #room: PromiseWithResolvers<void> | undefined;

  /** Resolves when more may follow; what comes after the end is dropped. */
  write(chunk: Uint8Array): Promise<void> {
    this.#queue.push(chunk);
    if (this.#queue.unreadBytes < maxWaiting) return Promise.resolve();
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  end(): void {
    this.#queue.end();
    this.#room?.resolve();
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#queue[Symbol.asyncIterator]();
  }

  #taken(): void {
    if (this.#queue.unreadBytes >= maxWaiting) return;
    this.#room?.resolve();
    this.#room = undefined;
  }
}
