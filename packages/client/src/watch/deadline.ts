import type { Clock } from "@coxswain/machinery";
import { LinkedAbort } from "../rest/linked-abort.ts";

/** A signal that is aborted with its parent, and when time is up. Disposing it ends the timer and what runs under it. */
export class Deadline extends LinkedAbort {
  readonly #timer: Disposable;

  constructor(parent: AbortSignal, clock: Clock, afterMs: number, what: string) {
    super(parent);
    this.#timer = clock.schedule(afterMs, () => this.abort(new Error(`${what} took longer than ${Math.round(afterMs / 1000)} s`)));
  }

  override [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    super[Symbol.dispose]();
  }
}
