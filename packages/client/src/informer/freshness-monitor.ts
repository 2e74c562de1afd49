import type { Clock, Timer } from "@coxswain/machinery";
import type { Freshness } from "./informer.ts";

/** Judges from its signs of life whether a watch is still up to date. */
export class FreshnessMonitor implements Disposable {
  readonly #clock: Clock;
  readonly #staleAfterMs: number;
  readonly #onChange: () => void;
  #state: Freshness["state"] = "syncing";
  #since: number;
  #lastSign = 0;
  #timer: Timer | undefined;

  /** `onChange` is called when the state has changed. */
  constructor(clock: Clock, staleAfterMs: number, onChange: () => void) {
    this.#clock = clock;
    this.#staleAfterMs = staleAfterMs;
    this.#onChange = onChange;
    this.#since = clock.now();
  }

  get state(): Freshness["state"] {
    return this.#state;
  }

  get since(): number {
    return this.#since;
  }

  /** The watch has brought something. Called for every event: one timer serves many, and sets itself again when it comes too early. */
  alive(): void {
    this.#lastSign = this.#clock.monotonic();
    if (this.#state !== "fresh") this.#enter("fresh");
    if (this.#timer === undefined && Number.isFinite(this.#staleAfterMs)) this.#wait(this.#staleAfterMs);
  }

  /** After an interruption the watch goes on, which of a copy that is complete is a sign of life. */
  connected(): void {
    if (this.#state === "stale") this.alive();
  }

  /** Before the first complete copy it is `syncing` still. */
  interrupted(): void {
    if (this.#state === "fresh") this.#enter("stale");
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#state !== "stale") this.#enter("stale");
  }

  #wait(ms: number): void {
    this.#timer = this.#clock.schedule(ms, () => {
      this.#timer = undefined;
      const left = this.#lastSign + this.#staleAfterMs - this.#clock.monotonic();
      if (left > 0) this.#wait(left);
      else this.interrupted();
    });
  }

  #enter(state: Freshness["state"]): void {
    this.#state = state;
    this.#since = this.#clock.now();
    this.#onChange();
  }
}
