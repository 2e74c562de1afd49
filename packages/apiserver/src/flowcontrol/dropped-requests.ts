/** After how many seconds refused clients may come again: longer while many are refused, as TCP does with its window. */
import type { Clock } from "@coxswain/machinery";

const maxRetryAfter = 32;

export class DroppedRequests {
  readonly #clock: Pick<Clock, "now">;
  #history: { readonly second: number; count: number }[] = [];
  #raisedAt = 0;
  retryAfter = 1;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  record(): void {
    const second = Math.floor(this.#clock.now() / 1000);
    const last = this.#history.at(-1);
    if (last?.second === second) {
      last.count++;
      return;
    }
    this.#history = this.#history.filter((one) => second - one.second <= Math.min(2 * this.retryAfter, maxRetryAfter));
    this.#adjust(second);
    this.#history.push({ second, count: 1 });
  }

  /** By what was refused in as many seconds as clients are told to wait. */
  #adjust(second: number): void {
    const { retryAfter } = this;
    const recent = this.#history.filter((one) => second - one.second <= retryAfter);
    const dropped = recent.reduce((sum, { count }) => sum + count, 0);
    if (second - this.#raisedAt >= retryAfter && dropped >= 3 * retryAfter) {
      this.retryAfter = Math.min(2 * retryAfter, maxRetryAfter);
      this.#raisedAt = second;
    } else if (dropped < retryAfter && retryAfter > 1) {
      this.retryAfter--;
    }
  }
}
