import type { FlowRequest } from "./flow-request.ts";

const none: readonly FlowRequest[] = [];

/** Seats that are held for a while after their requests, for the work that these leave behind. */
export class LingeringSeats {
  #held: { readonly until: number; readonly request: FlowRequest }[] = [];
  /** When the first of them comes free: monotonic milliseconds, infinite where there is none. */
  next = Number.POSITIVE_INFINITY;

  hold(request: FlowRequest, until: number): void {
    this.#held.push({ until, request });
    if (until < this.next) this.next = until;
  }

  /** Those that come free now. */
  due(now: number): readonly FlowRequest[] {
    if (now < this.next) return none;
    const due = this.#held.filter(({ until }) => until <= now);
    this.#held = this.#held.filter(({ until }) => until > now);
    this.next = this.#held.reduce((earliest, { until }) => Math.min(earliest, until), Number.POSITIVE_INFINITY);
    return due.map(({ request }) => request);
  }
}
