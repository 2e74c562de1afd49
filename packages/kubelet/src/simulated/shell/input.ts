/** The input of a shell, of which it reads lines, and what it runs the rest. */
export class Input implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest = Buffer.alloc(0);
  #ended = false;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  static of(bytes: AsyncIterable<Uint8Array>): Input {
    return bytes instanceof Input ? bytes : new Input(bytes);
  }

  static from(text: string): Input {
    return new Input(
      (async function* () {
        yield Buffer.from(text);
      })(),
    );
  }

  /** Without its newline; undefined at the end. */
  async line(): Promise<string | undefined> {
    for (let end = this.#rest.indexOf(10); ; end = this.#rest.indexOf(10)) {
      if (end >= 0)
        return this.#take(end + 1)
          .subarray(0, end)
          .toString();
      if (!(await this.#more())) return this.#rest.length === 0 ? undefined : this.#take(this.#rest.length).toString();
    }
  }

  /** Whoever stops early leaves what comes then to others. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        if (this.#rest.length === 0) await this.#more();
        if (this.#rest.length === 0) return { done: true, value: undefined };
        return { done: false, value: this.#take(this.#rest.length) };
      },
    };
  }

  async #more(): Promise<boolean> {
    if (this.#ended) return false;
    const { done, value } = await this.#chunks.next();
    if (done === true) this.#ended = true;
    else this.#rest = Buffer.concat([this.#rest, value]);
    return !this.#ended;
  }

  #take(bytes: number): Buffer {
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return taken;
  }
}
