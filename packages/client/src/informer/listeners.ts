/** A set of listeners. One that is added during a call is not in it; one that is removed during a call is not called any more. */
export class Listeners<A> {
  #all: readonly { fn: ((argument: A) => void) | undefined }[] = [];
  readonly #failed: (error: unknown) => void;

  /** `failed` is given what a listener throws; the others are called all the same. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  get size(): number {
    return this.#all.length;
  }

  /** Calls the new listener alone with `first`, before anything else. */
  add(fn: (argument: A) => void, first: readonly A[] = []): Disposable {
    const listener: { fn: ((argument: A) => void) | undefined } = { fn };
    this.#all = [...this.#all, listener];
    this.#notify([listener], first);
    return {
      [Symbol.dispose]: () => {
        listener.fn = undefined;
        this.#all = this.#all.filter((other) => other !== listener);
      },
    };
  }

  notify(what: readonly A[]): void {
    this.#notify(this.#all, what);
  }

  #notify(listeners: readonly { readonly fn: ((argument: A) => void) | undefined }[], what: readonly A[]): void {
    if (listeners.length === 0) return;
    for (const argument of what) {
      for (const listener of listeners) {
        try {
          listener.fn?.(argument);
        } catch (error) {
          this.#failed(error);
        }
      }
    }
  }
}
