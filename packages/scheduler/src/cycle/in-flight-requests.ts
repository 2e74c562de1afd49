/** How many requests the scheduler has under way: attempts wait while there are too many, requests themselves never do. */
export class InFlightRequests {
  readonly #limit: number;
  #taken = 0;
  #freed = Promise.withResolvers<void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get count(): number {
    return this.#taken;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#taken++;
    try {
      return await work();
    } finally {
      this.#taken--;
      this.#freed.resolve();
      this.#freed = Promise.withResolvers();
    }
  }

  /** Resolves when there are fewer than the limit. */
  async belowLimit(): Promise<void> {
    while (this.#taken >= this.#limit) await this.#freed.promise;
  }
}
