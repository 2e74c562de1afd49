/** An answer without an end of its own, written to a port. */
import type { Sink } from "@coxswain/apiserver";
import type { BatchWriter } from "./batch-writer.ts";
import type { ServerFrame } from "./frames.ts";

/** With more than this unread, the writer has to wait: enough for what is written while a message goes there and back. Bytes. */
const highWater = 256 * 1024;

/** A thread has its turns of work like others, but what it has not read yet is a copy for it alone. Bytes. */
const maxBufferedBytes = 16 * 1024 * 1024;

export class PortSink implements Sink {
  readonly maxBuffered = maxBufferedBytes;
  readonly #id: number;
  readonly #writer: BatchWriter<ServerFrame>;
  readonly #closing: (() => void)[] = [];
  #drained: (() => void)[] = [];
  #unread = 0;
  #closed = false;

  /** `onClosed` is called first of all when it ends, whoever ends it. */
  constructor(id: number, writer: BatchWriter<ServerFrame>, onClosed: () => void) {
    this.#id = id;
    this.#writer = writer;
    this.#closing.push(onClosed);
  }

  /** What the other end has not said to have read. Bytes. */
  get buffered(): number {
    return this.#unread;
  }

  get closed(): boolean {
    return this.#closed;
  }

  write(chunk: Uint8Array): boolean {
    if (this.#closed) return false;
    this.#writer.write({ kind: "chunk", id: this.#id, body: this.#writer.place(chunk) });
    this.#unread += chunk.byteLength;
    return this.#unread < highWater;
  }

  end(): void {
    if (this.#closed) return;
    this.#writer.write({ kind: "end", id: this.#id });
    this.close();
  }

  abort(): void {
    if (this.#closed) return;
    this.#writer.write({ kind: "broken", id: this.#id });
    this.close();
  }

  onClose(fn: () => void): void {
    if (this.#closed) fn();
    else this.#closing.push(fn);
  }

  drained(): Promise<void> {
    if (this.#closed || this.#unread < highWater) return Promise.resolve();
    return new Promise((resolve) => void this.#drained.push(resolve));
  }

  /** The other end has read so many bytes more. */
  read(bytes: number): void {
    this.#unread -= bytes;
    if (this.#unread < highWater) this.#wake();
  }

  /** Nothing is written any more, and nothing said. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#wake();
    for (const fn of this.#closing.splice(0)) fn();
  }

  #wake(): void {
    const waiting = this.#drained;
    this.#drained = [];
    for (const resolve of waiting) resolve();
  }
}
