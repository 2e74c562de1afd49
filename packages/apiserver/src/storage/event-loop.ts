/**
 * Yields to the event loop. Writing an object takes milliseconds for each hundred kilobytes, in steps that nothing can interrupt: between them, others
 * are served. Of several such writes only one takes a step in each round of the event loop.
 */
export class EventLoop {
  readonly #waiting: (() => void)[] = [];

  /** Whether the steps of a write are long: `bytes` is the larger of what was sent and what is stored. */
  isLong(bytes: number): boolean {
    return bytes >= large;
  }

  /** Small objects need not wait: undefined. */
  yieldFor(bytes: number): Promise<void> | undefined {
    return this.isLong(bytes) ? this.yield() : undefined;
  }

  /** For writes whose steps are long. */
  yield(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#next());
    });
  }

  #next(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#next());
  }
}

const large = 16 * 1024;
