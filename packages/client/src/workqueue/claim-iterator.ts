/** One worker's view of a queue: what it may take, and how it waits when there is nothing. */

export interface ClaimSource<T> {
  take(): T | undefined;
  /** Nothing will come any more. */
  hasEnded(): boolean;
  /** Calls `resolve` with the next one, or with undefined when nothing will come any more. */
  wait(resolve: (value: T | undefined) => void): void;
  leave(resolve: (value: T | undefined) => void): void;
}

export class ClaimIterator<T> implements AsyncIterableIterator<T, undefined> {
  readonly #signal: AbortSignal;
  readonly #source: ClaimSource<T>;
  readonly #waiting = new Set<(value: T | undefined) => void>();
  readonly #onAbort = (): void => this.#end();
  #listens = false;
  #isDone = false;

  constructor(signal: AbortSignal, source: ClaimSource<T>) {
    this.#signal = signal;
    this.#source = source;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#signal.aborted) this.#end();
    if (this.#isDone) return Promise.resolve({ done: true, value: undefined });
    const value = this.#source.take();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#source.hasEnded()) this.#end();
    return this.#isDone ? this.next() : this.#wait();
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#end();
    return this.next();
  }

  #wait(): Promise<IteratorResult<T, undefined>> {
    if (!this.#listens) this.#signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#listens = true;
    return new Promise((resolve) => {
      const settle = (value: T | undefined): void => {
        this.#waiting.delete(settle);
        if (value === undefined) this.#end();
        resolve(value === undefined ? { done: true, value: undefined } : { done: false, value });
      };
      this.#waiting.add(settle);
      this.#source.wait(settle);
    });
  }

  #end(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#signal.removeEventListener("abort", this.#onAbort);
    for (const settle of this.#waiting) {
      this.#source.leave(settle);
      settle(undefined);
    }
  }
}
