/** What was decided, for a while: asking again costs requests to others. */
import type { Clock } from "@coxswain/machinery";
import type { Decision } from "../contracts/authorizer.ts";

interface Kept {
  readonly decision: Decision;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** As many as kube-apiserver keeps. */
const maxKept = 8_192;

/** Forgets first what was not asked for the longest. */
export class DecisionCache {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): Decision | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    if (this.#clock.now() >= kept.until) return undefined;
    this.#kept.set(key, kept);
    return kept.decision;
  }

  /** @param forMs 0 for not at all */
  set(key: string, decision: Decision, forMs: number): void {
    this.#kept.delete(key);
    if (forMs <= 0) return;
    const [oldest] = this.#kept.size >= maxKept ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, { decision, until: this.#clock.now() + forMs });
  }
}
