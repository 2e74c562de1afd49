/**
 * Shares the one thread among priority levels. Seats bound how many requests are under way, not how long they keep the thread:
 * in each round of the event loop requests may begin only for a while. The others wait in their queues until what came meanwhile
 * was read: exempt requests and timers never wait for more than that.
 */
import type { Clock } from "@coxswain/machinery";

/** When the thread has time for more: a level asks before it lets a request run, and is called when it may go on. */
export interface Turns {
  isOpen(now: number): boolean;
  wait(level: TakesTurns): void;
}

/** A level with requests that could run if the thread had time. */
export interface TakesTurns {
  /** How much of the thread it has had, in seats for each of those that it may have. */
  readonly served: number;
  /** A level that has not waited lately has no claim from before. */
  catchUp(served: number): void;
  /** Lets one run. @returns whether there was one that could */
  dispatchOne(now: number): boolean;
}

/** For how long requests may begin in a round of the event loop. */
const roundMs = 8;
/** Of those that waited: what they do begins only after the round, so that its time is not known yet. */
const perRound = 24;

export class ThreadTurns implements Turns {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #levels = new Set<TakesTurns>();
  readonly #nextRound: (begin: () => void) => void;
  #startedAt: number | undefined;

  /** @param nextRound calls back after the event loop has looked at what came in */
  constructor(clock: Pick<Clock, "monotonic">, nextRound: (begin: () => void) => void = setImmediate) {
    this.#clock = clock;
    this.#nextRound = nextRound;
  }

  isOpen(now: number): boolean {
    if (this.#startedAt === undefined) this.#start(now);
    return now - (this.#startedAt ?? now) < roundMs;
  }

  wait(level: TakesTurns): void {
    if (this.#levels.has(level)) return;
    if (this.#levels.size > 0) level.catchUp(Math.min(...[...this.#levels].map(({ served }) => served)));
    this.#levels.add(level);
  }

  #start(now: number): void {
    this.#startedAt = now;
    this.#nextRound(this.#begin);
  }

  readonly #begin = (): void => {
    this.#startedAt = undefined;
    if (this.#levels.size === 0) return;
    const start = this.#clock.monotonic();
    this.#start(start);
    for (let begun = 0, now = start; begun < perRound && now - start < roundMs; now = this.#clock.monotonic()) {
      const level = this.#leastServed();
      if (level === undefined) return;
      if (level.dispatchOne(now)) begun++;
      else this.#levels.delete(level);
    }
  };

  #leastServed(): TakesTurns | undefined {
    let least: TakesTurns | undefined;
    for (const level of this.#levels) if (least === undefined || level.served < least.served) least = level;
    return least;
  }
}
