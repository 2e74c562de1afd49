/** How long an image that could not be pulled is left alone: longer each time, by Pod and image. */
import type { Clock } from "@coxswain/machinery";

interface Failure {
  /** By the monotonic clock. */
  readonly at: number;
  readonly delayMs: number;
  readonly message: string;
}

export class PullBackoff {
  readonly #clock: Clock;
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #failures = new Map<string, Failure>();

  constructor(clock: Clock, { firstMs = 10_000, maxMs = 300_000 } = {}) {
    this.#clock = clock;
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
  }

  /** What went wrong last time, while it is too early for the next attempt. */
  waiting(key: string): string | undefined {
    const failure = this.#failures.get(key);
    const now = this.#clock.monotonic();
    return failure !== undefined && now - failure.at < failure.delayMs ? failure.message : undefined;
  }

  failed(key: string, message: string): void {
    this.collectGarbage();
    const delayMs = this.#failures.get(key)?.delayMs;
    const next = delayMs === undefined ? this.#firstMs : Math.min(delayMs * 2, this.#maxMs);
    this.#failures.set(key, { at: this.#clock.monotonic(), delayMs: next, message });
  }

  /** What went well for twice the longest time starts from the shortest delay again. */
  collectGarbage(): void {
    const now = this.#clock.monotonic();
    for (const [key, { at }] of this.#failures) if (now - at > 2 * this.#maxMs) this.#failures.delete(key);
  }
}
