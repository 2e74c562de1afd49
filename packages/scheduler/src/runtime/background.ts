/** Work that goes on beside the attempts: bindings, status writes, evictions. The scheduler ends once all of it has. */

export class Background {
  readonly #signal: AbortSignal;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();

  constructor(signal: AbortSignal, onError: (error: unknown) => void) {
    this.#signal = signal;
    this.#onError = onError;
  }

  start(work: (signal: AbortSignal) => Promise<void>): void {
    const running = work(this.#signal).catch((error: unknown) => {
      if (!this.#signal.aborted) this.#onError(error);
    });
    this.#running.add(running);
    running.finally(() => this.#running.delete(running));
  }

  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
