import type { ContentProvider } from "@coxswain/apiserver";

/** A value that somebody sets anew from time to time. */
export class FollowedValue<T> implements ContentProvider<T> {
  readonly #listeners = new Set<(value: T) => void>();
  #current: T;

  constructor(current: T) {
    this.#current = current;
  }

  get current(): T {
    return this.#current;
  }

  set(value: T): void {
    this.#current = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  subscribe(listener: (value: T) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

/** What is made of the values of others, as they are now. */
export const derivedContent = <T>(sources: readonly ContentProvider<unknown>[], make: () => T): ContentProvider<T> => ({
  get current() {
    return make();
  },
  subscribe(listener) {
    const followed = sources.map((source) => source.subscribe(() => listener(make())));
    return { [Symbol.dispose]: () => void followed.map((one) => one[Symbol.dispose]()) };
  },
});
