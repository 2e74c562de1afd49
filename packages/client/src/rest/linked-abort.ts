/** A controller that is aborted with the first of several signals, and by whoever holds it. */
export class LinkedAbort implements Disposable {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #onAbort = (event: Event): void => {
    if (event.target instanceof AbortSignal) this.abort(event.target.reason);
  };

  constructor(...sources: readonly (AbortSignal | undefined)[]) {
    this.#sources = sources.filter((source) => source !== undefined);
    for (const source of this.#sources) {
      if (source.aborted) this.abort(source.reason);
      source.addEventListener("abort", this.#onAbort);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  /** Lets go of the sources, and ends what still runs under this signal. */
  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener("abort", this.#onAbort);
    this.abort();
  }
}
