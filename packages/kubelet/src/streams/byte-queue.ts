/** Bytes that have arrived and wait for their one reader. */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  readonly #onTaken: (bytes: number) => void;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #ended: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** @param onTaken called with how many bytes the reader has taken, or given up */
  constructor(onTaken: (bytes: number) => void = () => undefined) {
    this.#onTaken = onTaken;
  }

  get unreadBytes(): number {
    return this.#bytes;
  }

  push(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return;
    if (this.#ended !== undefined) return void this.#onTaken(chunk.byteLength);
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    this.#wake?.();
  }

  /** Only the first end counts. With an error, reading throws it once what came before is read. */
  end(error?: unknown): void {
    this.#ended ??= { error };
    this.#wake?.();
  }

  /** What is unread is dropped, and so is what still comes. */
  discard(): void {
    this.#ended ??= { error: undefined };
    this.#chunks.length = 0;
    this.#taken(this.#bytes);
    this.#wake?.();
  }

  /** Whoever stops reading early discards the rest. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          this.#taken(chunk.byteLength);
          yield chunk;
        } else if (this.#ended !== undefined) {
          if (this.#ended.error !== undefined) throw this.#ended.error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.discard();
    }
  }

  #taken(bytes: number): void {
    this.#bytes -= bytes;
    if (bytes > 0) this.#onTaken(bytes);
  }
}
