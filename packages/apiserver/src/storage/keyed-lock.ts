/**
 * Lets one writer at a time through for each key, in the order of arrival. Compare-and-swap alone would be right, but N
 * writers of one object would then do N² work; waiting in line costs nothing without other writers.
 */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<void>>();

  async run<T>(key: string, fn: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tails.set(key, promise);
    if (before !== undefined) await before;
    try {
      return await fn();
    } finally {
      if (this.#tails.get(key) === promise) this.#tails.delete(key);
      resolve();
    }
  }
}
