/** How long a key waits before it is tried again. */
import type { Clock } from "@coxswain/machinery";
import { TokenBucket } from "./token-bucket.ts";

/** Decides how long a key waits before it is tried again, as client-go's TypedRateLimiter. */
export interface RateLimiter {
  /** Milliseconds; each call counts as one more failure of the key. */
  nextDelay(id: unknown): number;
  /** The key did well: its next failure is its first. */
  forget(id: unknown): void;
  /** Failures since the key was last forgotten. */
  failures(id: unknown): number;
}

/** The first and the longest delay of a key, in milliseconds. */
export interface ExponentialOptions {
  /** Default: 5. */
  readonly baseMs?: number;
  /** Default: 1,000,000. */
  readonly maxMs?: number;
}

/** Each key's delay doubles with each of its failures. */
export function exponentialBackoff({ baseMs = 5, maxMs = 1_000_000 }: ExponentialOptions = {}): RateLimiter {
  const failures = new Map<unknown, number>();
  return {
    nextDelay(id) {
      const before = failures.get(id) ?? 0;
      failures.set(id, before + 1);
      return Math.min(baseMs * 2 ** before, maxMs);
    },
    forget: (id) => void failures.delete(id),
    failures: (id) => failures.get(id) ?? 0,
  };
}

/** All keys share one bucket: who finds it empty waits for a token of the future. Default: 10 a second, 100 after a rest. */
export function sharedBucket({ clock, perSecond = 10, burst = 100 }: SharedBucketOptions): RateLimiter {
  const bucket = new TokenBucket({ clock, perSecond, burst });
  return { nextDelay: () => bucket.reserve(), forget: () => undefined, failures: () => 0 };
}

/** Size and rate of the bucket that all keys share. */
export interface SharedBucketOptions {
  readonly clock: Clock;
  /** Default: 10. */
  readonly perSecond?: number;
  /** How many may come at once after a rest. Default: 100. */
  readonly burst?: number;
}

/** The longest that any of them says. */
export const maxOfRateLimiters = (...limiters: readonly RateLimiter[]): RateLimiter => ({
  nextDelay: (id) => Math.max(...limiters.map((limiter) => limiter.nextDelay(id))),
  forget: (id) => {
    for (const limiter of limiters) limiter.forget(id);
  },
  failures: (id) => Math.max(...limiters.map((limiter) => limiter.failures(id))),
});

/** client-go's default: 5 ms doubling up to 1,000 s per key, and no more than 10 a second of all keys after the first 100. */
export const defaultRateLimiter = (clock: Clock): RateLimiter => maxOfRateLimiters(exponentialBackoff(), sharedBucket({ clock }));
