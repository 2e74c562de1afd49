/** Frames of one turn go over a port as one message: each message costs more than what is in it. */
import type { MessagePort } from "node:worker_threads";
import type { Batch, Span } from "./frames.ts";

export class BatchWriter<Frame> {
  readonly #port: Pick<MessagePort, "postMessage">;
  #frames: Frame[] = [];
  #parts: Uint8Array[] = [];
  /** An event that several watches get goes once. */
  readonly #placed = new Map<Uint8Array, Span>();
  #size = 0;

  constructor(port: Pick<MessagePort, "postMessage">) {
    this.#port = port;
  }

  /** Goes at the end of the turn. Whoever gives bytes does not change them before. */
  write(frame: Frame): void {
    if (this.#frames.push(frame) === 1) process.nextTick(() => this.#flush());
  }

  /** For a frame that is written in the same turn. */
  place(bytes: Uint8Array): Span {
    const known = this.#placed.get(bytes);
    if (known !== undefined) return known;
    const span: Span = [this.#size, this.#size + bytes.byteLength];
    this.#size = span[1];
    this.#parts.push(bytes);
    this.#placed.set(bytes, span);
    return span;
  }

  #flush(): void {
    const bytes = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.byteLength;
    }
    const batch: Batch<Frame> = { frames: this.#frames, bytes };
    this.#frames = [];
    this.#parts = [];
    this.#placed.clear();
    this.#size = 0;
    this.#port.postMessage(batch, bytes.byteLength === 0 ? [] : [bytes.buffer]);
  }
}
