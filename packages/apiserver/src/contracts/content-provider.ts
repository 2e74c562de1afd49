/** What may change while a server runs, such as the content of a file. */

/** Has a value, and reports later ones. */
export interface ContentProvider<T> {
  readonly current: T;
  /** Called with each new value, from the next one on. */
  subscribe(listener: (value: T) => void): Disposable;
}

/** One that never changes; `read` is called when the value is first needed. */
export function staticContent<T>(read: () => T): ContentProvider<T> {
  return {
    get current() {
      return read();
    },
    subscribe: () => ({ [Symbol.dispose]: () => undefined }),
  };
}

/** What never changes has the form of what does. */
export const providerOf = <T extends object>(value: T | ContentProvider<T>): ContentProvider<T> =>
  "subscribe" in value ? value : staticContent(() => value);
