/**
 * Does a read, change and write again when another client was faster: the other half of optimistic concurrency.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
import { type Clock, isConflict, type RandomSource, StatusError, sleep, systemClock, systemRandom } from "@coxswain/machinery";
import { type BackoffOptions, backoffDelay } from "./backoff.ts";
import { explainConflict } from "./conflict-explanation.ts";

/** How often something is tried, and how long apart; what is left out is as in `defaultRetry`. */
export interface RetryBackoff extends Partial<BackoffOptions> {
  /** How often it is tried in all. */
  readonly attempts?: number;
}

/** Options of `retryOnConflict`; clock and random default to the system's, aborting the signal ends it. */
export interface RetryOptions extends RetryBackoff {
  readonly clock?: Clock;
  readonly random?: RandomSource;
  readonly signal?: AbortSignal | undefined;
}

/** For a writer among a few others, who all write fast: client-go's DefaultRetry. */
export const defaultRetry = { attempts: 5, baseDelayMs: 10, factor: 1, jitter: 0.1, capMs: Number.POSITIVE_INFINITY } as const;

/** For a client that may be in the way of a busy controller, and can wait: client-go's DefaultBackoff. */
export const defaultBackoff = { attempts: 4, baseDelayMs: 10, factor: 5, jitter: 0.1, capMs: Number.POSITIVE_INFINITY } as const;

/**
 * Calls `fn` until it does not end in a conflict; every call must read again what it writes. Other errors pass at once.
 * @throws RetriesExhausted
 */
export async function retryOnConflict<T>(fn: (attempt: number) => Promise<T>, opts: RetryOptions = {}): Promise<T> {
  const { clock = systemClock, random = systemRandom, signal } = opts;
  const backoff = { ...defaultRetry, ...opts };
  const conflicts: StatusError[] = [];
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await fn(attempt);
    } catch (error) {
      if (!isConflict(error)) throw error;
      conflicts.push(error);
      if (attempt >= backoff.attempts) throw new RetriesExhausted(error, conflicts);
      await sleep(clock, backoffDelay(backoff, attempt - 1, random), signal);
    }
  }
}

/** The last conflict, with what each attempt met. */
export class RetriesExhausted extends StatusError {
  readonly conflicts: readonly StatusError[];
  constructor(last: StatusError, conflicts: readonly StatusError[]) {
    super(last.status);
    this.name = "RetriesExhausted";
    this.conflicts = conflicts;
    this.cause = last;
    this.message = `${last.message}\n${describeAttempts(conflicts)}`;
  }
}

function describeAttempts(conflicts: readonly StatusError[]): string {
  const tries = conflicts.length === 1 ? "tried once" : `tried ${conflicts.length} times`;
  return [tries, ...conflicts.map((conflict, i) => `attempt ${i + 1}: ${explainConflict(conflict)}`)].join("\n");
}
