/** How long to wait between attempts. */
import type { Clock, RandomSource } from "@coxswain/machinery";

export interface BackoffOptions {
  readonly baseDelayMs: number;
  /** Each delay is so many times the one before. */
  readonly factor: number;
  /** Up to so much of the delay is added by chance: 0.1 is a tenth. */
  readonly jitter: number;
  /** The longest delay before jitter. */
  readonly capMs: number;
}

/** After the failure number `failures`, counted from 0. */
export function backoffDelay({ baseDelayMs, factor, jitter, capMs }: BackoffOptions, failures: number, random: RandomSource): number {
  const delay = Math.min(capMs, baseDelayMs * factor ** failures);
  return delay * (1 + jitter * random.next());
}

/** Delays that grow from failure to failure, and start over after a time of peace. */
export class Backoff {
  readonly #options: BackoffOptions & { readonly resetAfterMs: number };
  readonly #clock: Clock;
  readonly #random: RandomSource;
  #failures = 0;
  #lastFailure = 0;

  constructor(options: BackoffOptions & { readonly resetAfterMs: number }, clock: Clock, random: RandomSource) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
  }

  /** How long to wait after a failure at this moment. */
  next(): number {
    const now = this.#clock.monotonic();
    if (now - this.#lastFailure > this.#options.resetAfterMs) this.#failures = 0;
    this.#lastFailure = now;
    return backoffDelay(this.#options, this.#failures++, this.#random);
  }
}
