import type { Clock } from "@coxswain/machinery";

export interface TokenBucketOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** How many may come at once after a rest. */
  readonly burst: number;
}

export class TokenBucket {
  readonly #options: TokenBucketOptions;
  /** Below nothing when tokens of the future are reserved. */
  #tokens: number;
  #at: number;

  constructor(options: TokenBucketOptions) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#at = options.clock.monotonic();
  }

  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Takes a token, and says after how many milliseconds it is there. */
  reserve(): number {
    this.#refill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#options.perSecond) * 1000;
  }

  #refill(): void {
    const { clock, perSecond, burst } = this.#options;
    const now = clock.monotonic();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1000) * perSecond);
    this.#at = now;
  }
}
