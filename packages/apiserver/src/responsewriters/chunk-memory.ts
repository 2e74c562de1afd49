/**
 * Memory for the chunks of lists. What lies outside of the heap counts as a reason to collect the whole heap: with memory of its
 * own for each chunk, a few lists of megabytes cost a collection, which costs more than they do.
 */
export class ChunkMemory {
  /** Bytes. A chunk is as long as an item more or less than it should be. */
  readonly #size: number;
  readonly #free: Buffer[] = [];

  constructor(chunkBytes: number) {
    this.#size = chunkBytes + slackBytes;
  }

  /** What it holds is not cleared. */
  take(bytes: number): Buffer {
    // What is short, or longer than any other, is not kept.
    if (bytes < this.#size / 4 || bytes > this.#size) return Buffer.allocUnsafe(bytes);
    const memory = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#size);
    return memory.subarray(0, bytes);
  }

  /** Takes back what nobody reads any more, once. */
  give({ buffer }: Uint8Array): void {
    if (buffer.byteLength === this.#size && this.#free.length < maxFree) this.#free.push(Buffer.from(buffer as ArrayBuffer));
  }
}

const slackBytes = 8 * 1024;
const maxFree = 16;
