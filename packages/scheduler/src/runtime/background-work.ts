/** Work that goes on beside the scheduling cycles: binding cycles, status writes, preemptions. */

export interface BackgroundOptions {
  /** Ends the work. */
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
  /** Scheduling cycles wait while more requests than this are in flight; requests themselves never wait. */
  readonly maxRequests: number;
}

export class BackgroundWork {
  readonly #options: BackgroundOptions;
  readonly #running = new Set<Promise<void>>();
  #requests = 0;
  #completed = Promise.withResolvers<void>();

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  get requestsInFlight(): number {
    return this.#requests;
  }

  start(work: (signal: AbortSignal) => Promise<void>): void {
    const { signal, onError } = this.#options;
    const running = work(signal).catch((error: unknown) => {
      if (!signal.aborted) onError(error);
    });
    this.#running.add(running);
    running.finally(() => this.#running.delete(running));
  }

  /** Resolves when all work has ended, also what was started meanwhile. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Counts a request as in flight until it resolves or rejects. */
  async request<T>(run: () => Promise<T>): Promise<T> {
    this.#requests++;
    try {
      return await run();
    } finally {
      this.#requests--;
      this.#completed.resolve();
      this.#completed = Promise.withResolvers();
    }
  }

  /** Resolves when fewer requests than the maximum are in flight. */
  async belowMaxRequests(): Promise<void> {
    while (this.#requests >= this.#options.maxRequests) await this.#completed.promise;
  }
}
