/** Bytes on their way from one who writes to one who reads. */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  /** Resolves when more may follow; what comes after the end is dropped. */
  write(chunk: Uint8Array): Promise<void> {
    if (this.#isEnded || chunk.length === 0) return Promise.resolve();
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#wake?.();
    if (this.#size < mostWaiting) return Promise.resolve();
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
    this.#room?.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#size -= chunk.length;
        if (this.#size < mostWaiting) this.#room = this.#room?.resolve() ?? undefined;
        yield chunk;
      } else if (this.#isEnded) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}

const mostWaiting = 64 * 1024;
