/** Time that passes when a test says so, or when nothing is left to do but to wait for it. */
import { type Clock, ManualClock, sleep, systemClock, type Timer } from "@coxswain/machinery";
import { validateOptions } from "../validation/options.ts";
import { type Duration, millisecondsOf } from "./duration.ts";

/** Where virtual time begins, and whether it passes by itself. */
export interface VirtualClockOptions {
  /** Where time begins; milliseconds since the epoch. Default: 2026. */
  readonly now?: number;
  /**
   * Goes to the next timer whenever everything waits. Timers of upkeep, which were let go with `unref`, are run on the
   * way, but nothing goes on for their sake alone.
   */
  readonly autoAdvance?: boolean;
}

/** Creates a virtual clock, for `startCluster({ clock: virtualClock() })`. */
export const virtualClock = (options?: VirtualClockOptions): VirtualClock => new VirtualClock(options);

/** So many turns in a row in which nothing happens mean that nothing goes on. */
const quietTurns = 2;
/**
 * After so many real milliseconds, each of them a turn of the event loop in which it could have gone on, work that is under
 * way is thought to wait for this clock itself. Turns are counted because a busy machine makes time pass without any.
 */
const maxWaitTurns = 100;

/** A clock whose time passes when `advance` says so or, with `autoAdvance`, when everything waits for it. */
export class VirtualClock implements Clock {
  readonly autoAdvance: boolean;
  readonly #timers: ManualClock;
  /** Work that was begun and has not ended. */
  readonly #work = new Map<Promise<unknown>, "goes on" | "may wait" | "waits">();
  /** Counts whatever shows that something goes on. */
  #activity = 0;
  #running = false;

  constructor(options: VirtualClockOptions = {}) {
    validateOptions("virtualClock", options, { now: true, autoAdvance: true });
    const { now, autoAdvance = false } = options;
    this.#timers = new ManualClock(now);
    this.autoAdvance = autoAdvance;
  }

  now(): number {
    return this.#timers.now();
  }

  monotonic(): number {
    return this.#timers.monotonic();
  }

  schedule(afterMs: number, fn: () => void): Timer {
    this.#activity++;
    const timer = this.#timers.schedule(afterMs, fn);
    if (this.autoAdvance && !this.#running) void this.#run();
    return timer;
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.#timers.waiting;
  }

  /**
   * Time stands still until this has ended: for what goes on outside the process, where the clock cannot see it. Work that takes
   * long is thought to wait for this clock itself, unless it is said that it never does.
   */
  track<T>(work: Promise<T>, { neverWaits = false }: { readonly neverWaits?: boolean } = {}): Promise<T> {
    this.#activity++;
    this.#work.set(work, neverWaits ? "goes on" : "may wait");
    const ended = (): void => {
      this.#activity++;
      this.#work.delete(work);
    };
    work.then(ended, ended);
    return work;
  }

  /**
   * Lets time pass; what falls due runs in order, each at its own moment, and what comes of it comes about before the next.
   * @throws TypeError for what is no duration
   */
  async advance(duration: Duration): Promise<void> {
    const end = this.now() + millisecondsOf(duration);
    do await this.settle();
    while (this.#timers.step(end));
    if (this.now() < end) this.#timers.advance(end - this.now());
    await this.settle();
  }

  /** Resolves when everything waits: for the clock, or for something outside the process. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; ) {
      const before = this.#activity;
      await nextTurn();
      if (this.#activity !== before) quiet = 0;
      else if (this.#isBusy()) await this.#waitForActivity();
      else quiet++;
    }
  }

  #isBusy(): boolean {
    for (const state of this.#work.values()) if (state !== "waits") return true;
    return false;
  }

  async #waitForActivity(): Promise<void> {
    const before = this.#activity;
    for (let turn = 0; this.#activity === before; turn++) {
      if (turn === maxWaitTurns) return this.#assumeWaiting();
      await sleep(systemClock, 1);
    }
  }

  #assumeWaiting(): void {
    for (const [work, state] of this.#work) if (state === "may wait") this.#work.set(work, "waits");
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      for (;;) {
        await this.settle();
        if (this.#timers.wanted === 0) return;
        this.#timers.step();
      }
    } finally {
      this.#running = false;
    }
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
