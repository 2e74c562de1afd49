/** Wakes who waits for a file when something happens in its directory; where that cannot be watched, now and then. */
import { type FSWatcher, watch } from "node:fs";
import type { Clock } from "@coxswain/machinery";

export class DirectoryChanges implements Disposable {
  readonly #clock: Clock;
  #watcher: FSWatcher | undefined;
  #changed = false;
  #wake: (() => void) | undefined;

  constructor(directory: string, clock: Clock) {
    this.#clock = clock;
    try {
      this.#watcher = watch(directory, { persistent: false }, () => this.#notify());
      this.#watcher.on("error", () => this.#unwatch());
    } catch {
      // No directory yet, or no more watches to be had: then time alone wakes.
    }
  }

  /** Resolves when something has happened since the last call, after so long, or when aborted. */
  async next(maxMs: number, signal: AbortSignal): Promise<void> {
    if (this.#changed || signal.aborted) {
      this.#changed = false;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    using _ = this.#clock.schedule(maxMs, resolve);
    signal.addEventListener("abort", () => resolve(), { once: true, signal: this.#waitEnd(promise) });
    await promise;
    this.#wake = undefined;
    this.#changed = false;
  }

  #waitEnd(wait: Promise<void>): AbortSignal {
    const ended = new AbortController();
    void wait.then(() => ended.abort());
    return ended.signal;
  }

  #notify(): void {
    this.#changed = true;
    this.#wake?.();
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  [Symbol.dispose](): void {
    this.#unwatch();
    this.#wake?.();
  }
}
