/** An answer without an end of its own, between the server that writes and the client that reads. */
import type { Sink } from "@coxswain/apiserver";
import { ConnectionError } from "@coxswain/client";

/** With more than this unread, the writer has to wait. Bytes; what an HTTP/2 stream of Node buffers. */
const highWater = 16 * 1024;

/**
 * A reader in the same process gets its turn when the writer's is over, and the bytes of an event are those that the
 * server keeps and that all its readers share: a burst costs little, and to begin a watch again costs much. Bytes.
 */
const maxBufferedBytes = 64 * 1024 * 1024;

type End = { readonly kind: "whole" } | { readonly kind: "lost"; readonly error: unknown };

export class StreamBody {
  readonly #queue: Uint8Array[] = [];
  readonly #closing: (() => void)[] = [];
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.lose(this.#signal?.reason);
  #buffered = 0;
  #end: End | undefined;
  /** Once both ends are closed. */
  #closed = false;
  /** Wakes the reader. */
  #wake: (() => void) | undefined;
  #drained: (() => void)[] = [];
  readonly #onRead: ((bytes: number) => void) | undefined;
  /** The server's end. */
  readonly sink: Sink;

  /** Aborting the signal ends the answer with its reason. `onRead` is called with the bytes that the reader has taken. */
  constructor(signal: AbortSignal | undefined, onRead?: (bytes: number) => void) {
    this.#signal = signal;
    this.#onRead = onRead;
    this.sink = this.#makeSink();
    signal?.addEventListener("abort", this.#onAbort);
    if (signal?.aborted) this.lose(signal.reason);
  }

  /** The client's end. Whoever stops reading closes it. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        for (let chunk = this.#take(); chunk !== undefined; chunk = this.#take()) yield chunk;
        if (this.#end?.kind === "lost") throw this.#end.error;
        if (this.#end !== undefined) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#close();
    }
  }

  /** The client has no more use for it. */
  cancel(): void {
    this.lose(new ConnectionError("the answer was cancelled"));
  }

  /** The connection is gone: what was not read yet never arrives. */
  lose(error: unknown): void {
    if (this.#end === undefined || this.#queue.length > 0) this.#end = { kind: "lost", error };
    this.#queue.length = 0;
    this.#close();
  }

  #take(): Uint8Array | undefined {
    const chunk = this.#queue.shift();
    if (chunk !== undefined) {
      this.#buffered -= chunk.byteLength;
      this.#onRead?.(chunk.byteLength);
    }
    if (this.#buffered < highWater) this.#drain();
    return chunk;
  }

  #drain(): void {
    const waiting = this.#drained;
    if (waiting.length === 0) return;
    this.#drained = [];
    for (const resolve of waiting) resolve();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#end ??= { kind: "whole" };
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#wake?.();
    this.#drain();
    for (const fn of this.#closing.splice(0)) fn();
  }

  #makeSink(): Sink {
    const isOver = (): boolean => this.#closed || this.#end !== undefined;
    const buffered = (): number => this.#buffered;
    return {
      maxBuffered: maxBufferedBytes,
      write: (chunk) => {
        if (isOver()) return false;
        this.#queue.push(chunk);
        this.#buffered += chunk.byteLength;
        this.#wake?.();
        return this.#buffered < highWater;
      },
      end: () => {
        this.#end ??= { kind: "whole" };
        if (this.#queue.length === 0) this.#close();
        else this.#wake?.();
      },
      abort: () => this.lose(new ConnectionError("the server ended the answer before it was whole")),
      get buffered() {
        return buffered();
      },
      get closed() {
        return isOver();
      },
      onClose: (fn) => void (this.#closed ? fn() : this.#closing.push(fn)),
      drained: () => new Promise((resolve) => void (isOver() || this.#buffered < highWater ? resolve() : this.#drained.push(resolve))),
    };
  }
}

/** All of an answer in one piece. */
export async function collected(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all.length === 1 ? (all[0] ?? new Uint8Array(0)) : Buffer.concat(all);
}
