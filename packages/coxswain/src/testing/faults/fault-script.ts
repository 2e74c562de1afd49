/** The faults of one client, and what became of them. */
import type { RandomSource } from "@coxswain/machinery";
import { seededRandom } from "../chance-and-time/random.ts";
import { validateOptions } from "../validation/options.ts";
import { canHit, type Fault, type FaultRule, matches } from "./fault.ts";
import type { SeenRequest } from "./seen-request.ts";
import { validateFault, validateMatch, validateRule } from "./validate-rule.ts";

/** A fault that happened. */
export interface FiredFault {
  readonly fault: Fault;
  readonly request: SeenRequest;
  /** By the cluster's clock; milliseconds since the epoch. */
  readonly at: number;
  /** For those that strike a watch on its way: how many events had come before. */
  readonly afterEvents?: number;
}

/** What one client lives through, in order: what it asks, and what its watches bring. */
export type Step =
  | { readonly kind: "request"; readonly request: SeenRequest }
  /** The `event`th one of a watch, from 1 on. */
  | { readonly kind: "event"; readonly request: SeenRequest; readonly event: number };

/** One script serves one client or several, which then are counted together. */
export class FaultScript {
  /** In the order in which they happened, so that a test can verify that they did. */
  readonly fired: FiredFault[] = [];
  /** All of them, hit or not. */
  readonly steps: Step[] = [];
  readonly #rules: Counted[] = [];
  readonly #random: RandomSource;
  readonly #openWatches = new Map<SeenRequest, (fault: WatchFault) => void>();

  constructor(rules: readonly FaultRule[] = [], options: { readonly seed?: number } = {}) {
    validateOptions("FaultScript", options, { seed: true });
    this.#random = seededRandom(options.seed ?? 1);
    for (const rule of rules) this.add(rule);
  }

  /** From now on. Disposing what it returns takes the rule back. @throws TypeError for a rule that nothing can come of */
  add(rule: FaultRule): Disposable {
    validateRule(rule);
    const counted: Counted = { rule, matched: 0, fired: 0 };
    this.#rules.push(counted);
    return {
      [Symbol.dispose]: () => {
        const at = this.#rules.indexOf(counted);
        if (at >= 0) this.#rules.splice(at, 1);
      },
    };
  }

  /** Hits the watches that are open now, at once. Returns how many. */
  strike(fault: WatchFault, on?: FaultRule["on"]): number {
    validateFault(fault);
    validateMatch(on);
    const hit = [...this.#openWatches].filter(([request]) => matches(on, request));
    for (const [, strike] of hit) strike(fault);
    return hit.length;
  }

  /** The faults of a request that is about to be sent, in the order of their rules. */
  faultsOf(request: SeenRequest): readonly Fault[] {
    this.steps.push({ kind: "request", request });
    return this.#rules.filter((counted) => this.#applies(counted, request)).map(({ rule }) => rule.fault);
  }

  /** What happens instead of the next event of a watch, by rules that name this step. */
  faultsOfEvent(request: SeenRequest, event: number): readonly WatchFault[] {
    this.steps.push({ kind: "event", request, event });
    const due = this.#rules.filter(({ rule }) => rule.step === this.steps.length).map(({ rule }) => rule.fault);
    return due.filter(isWatchFault);
  }

  /** Called with every watch that has begun; disposing what it returns says that it has ended. */
  watching(request: SeenRequest, strike: (fault: WatchFault) => void): Disposable {
    this.#openWatches.set(request, strike);
    return { [Symbol.dispose]: () => void this.#openWatches.delete(request) };
  }

  #applies(counted: Counted, request: SeenRequest): boolean {
    const { fault, on, nth, step, times = Number.POSITIVE_INFINITY, chance = 1 } = counted.rule;
    if (!canHit(fault, request) || !matches(on, request)) return false;
    if (step !== undefined && step !== this.steps.length) return false;
    counted.matched++;
    if (nth !== undefined && !(typeof nth === "number" ? nth === counted.matched : nth.includes(counted.matched))) return false;
    if (counted.fired >= times || (chance < 1 && this.#random.next() >= chance)) return false;
    counted.fired++;
    return true;
  }
}

interface Counted {
  readonly rule: FaultRule;
  matched: number;
  fired: number;
}

/** A fault that hits an open watch. */
export type WatchFault = Extract<Fault, { readonly kind: "drop-watch" | "stall-watch" | "end-watch" | "delay-events" | "expired" }>;

export const isWatchFault = (fault: Fault): fault is WatchFault =>
  ["drop-watch", "stall-watch", "end-watch", "delay-events", "expired"].includes(fault.kind);
