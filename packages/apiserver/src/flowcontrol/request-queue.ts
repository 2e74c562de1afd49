/** One of the queues of a priority level: first in, first out. */

import { type Linked, LinkedSet } from "../http/linked-set.ts";

/** What a queue has to know of a request. */
export interface Queued {
  readonly maxSeats: number;
  /** Seats times milliseconds. */
  readonly totalWork: number;
  readonly arrivalR: number;
}

export class RequestQueue<Request extends Queued & Linked<Request>> {
  readonly #waiting: Request[] = [];
  readonly executing = new LinkedSet<Request>();
  seatsInUse = 0;
  seatsWaiting = 0;
  /** Of what waits: seats times milliseconds. */
  workWaiting = 0;
  /** At which progress of the level the next one of this queue is due. */
  nextDispatchR = 0;

  get length(): number {
    return this.#waiting.length;
  }

  get oldest(): Request | undefined {
    return this.#waiting[0];
  }

  get waiting(): readonly Request[] {
    return this.#waiting;
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.executing.size === 0;
  }

  push(request: Request): void {
    this.#waiting.push(request);
    this.seatsWaiting += request.maxSeats;
    this.workWaiting += request.totalWork;
  }

  remove(request: Request): void {
    const at = this.#waiting.indexOf(request);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.seatsWaiting -= request.maxSeats;
    this.workWaiting -= request.totalWork;
  }

  /** Who has worked less than its share must not save up: nothing is due before it came. */
  boundNextDispatch(): void {
    const arrival = this.oldest?.arrivalR;
    if (arrival !== undefined && this.nextDispatchR < arrival) this.nextDispatchR = arrival;
  }
}
