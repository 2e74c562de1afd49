import type { Clock } from "@coxswain/machinery";
import { LinkedAbort } from "../rest/linked-abort.ts";

/** A signal that is aborted with its parent, and when time is up. Its timer ends with it, also where it is not disposed. */
export class Deadline extends LinkedAbort {
  constructor(parent: AbortSignal, clock: Clock, afterMs: number, what: string) {
    super(parent);
    if (this.signal.aborted) return;
    const timer = clock.schedule(afterMs, () => this.abort(new Error(`${what} took longer than ${Math.round(afterMs / 1000)} s`)));
    this.signal.addEventListener("abort", () => timer[Symbol.dispose](), { once: true });
  }
}
