/** When to run discovery again: periodically, and shortly after something hints that it has changed. */
import type { Clock } from "@coxswain/client";

/** kube-controller-manager's. */
const everyMs = 30_000;
/** A new resource takes a moment to be served. */
const hintDelayMs = 1_000;

export class Rediscovery implements Disposable {
  readonly #clock: Clock;
  #due = Promise.withResolvers<void>();
  #timer: Disposable | undefined;
  #isHinted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hint(): void {
    if (this.#isHinted) return;
    this.#isHinted = true;
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#clock.schedule(hintDelayMs, () => this.#fallDue());
  }

  /** Resolves when it is time, or once the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isHinted) {
      const timer = this.#clock.schedule(everyMs, () => this.#fallDue());
      timer.unref();
      this.#timer = timer;
    }
    const end = () => this.#due.resolve();
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    await this.#due.promise;
    signal.removeEventListener("abort", end);
    this.#due = Promise.withResolvers();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #fallDue(): void {
    this.#isHinted = false;
    this.#due.resolve();
  }
}
