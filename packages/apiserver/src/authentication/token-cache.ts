/** What was found out about tokens, for a while: asking again costs signatures or requests to others. */
import { hash } from "node:crypto";
import type { Clock } from "@coxswain/machinery";
import type { TokenCacheMetrics } from "../contracts/access-metrics.ts";
import type { Authentication } from "../contracts/authenticator.ts";

/** An answer, and for how long it may be given again. */
export interface TokenAnswer {
  readonly answer: Authentication;
  /** 0 for not at all. Milliseconds. */
  readonly forMs: number;
}

interface Kept {
  readonly answer: Authentication;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Each some hundred bytes, and what the user is. */
const maxKept = 4_096;

/** No token stays in memory: what is kept goes by its digest. Who asks about the same token meanwhile waits for the same answer. */
export class TokenCache {
  readonly #clock: Clock;
  readonly #metrics: TokenCacheMetrics;
  readonly #kept = new Map<string, Kept>();
  readonly #pending = new Map<string, Promise<Authentication>>();

  constructor(clock: Clock, metrics: TokenCacheMetrics) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** At once where the answer is known. @param audiences for which the answer is, if they make a difference */
  check(token: string, ask: () => Promise<TokenAnswer>, audiences?: readonly string[]): Authentication | Promise<Authentication> {
    const key = hash("sha256", audiences === undefined ? token : JSON.stringify([token, audiences]), "base64url");
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#clock.now() < kept.until) {
      this.#metrics.recordHit();
      return kept.answer;
    }
    return this.#wait(this.#pending.get(key) ?? this.#begin(key, ask));
  }

  #begin(key: string, ask: () => Promise<TokenAnswer>): Promise<Authentication> {
    const asked = fetchToken(() => this.#ask(key, ask), this.#metrics).finally(() => this.#pending.delete(key));
    this.#pending.set(key, asked);
    return asked;
  }

  async #wait(pending: Promise<Authentication>): Promise<Authentication> {
    const startedAt = this.#clock.monotonic();
    const { active } = this.#metrics;
    active.blocked++;
    try {
      return await pending;
    } finally {
      active.blocked--;
      this.#metrics.recordMiss((this.#clock.monotonic() - startedAt) / 1000);
    }
  }

  async #ask(key: string, ask: () => Promise<TokenAnswer>): Promise<Authentication> {
    const { answer, forMs } = await ask();
    this.#kept.delete(key);
    if (forMs > 0) {
      const [oldest] = this.#kept.size >= maxKept ? this.#kept.keys() : [];
      if (oldest !== undefined) this.#kept.delete(oldest);
      this.#kept.set(key, { answer, until: this.#clock.now() + forMs });
    }
    return answer;
  }
}

/** Counts what `ask` finds out about a token. */
export async function fetchToken(
  ask: () => Promise<Authentication>,
  { active, fetched }: Pick<TokenCacheMetrics, "active" | "fetched">,
): Promise<Authentication> {
  active.in_flight++;
  let isKnown = false;
  try {
    const answer = await ask();
    isKnown = answer.kind === "authenticated";
    return answer;
  } finally {
    active.in_flight--;
    fetched[isKnown ? "ok" : "error"]++;
  }
}
