/** The queues of one priority level: which one a request goes into, and which request is next. */
import type { Linked } from "../http/linked-set.ts";
import { type Queued, RequestQueue } from "./request-queue.ts";
import { Dealer } from "./shuffle-sharding.ts";

export interface QueueCount {
  readonly queues: number;
  readonly handSize: number;
}

export class RequestQueues<Request extends Queued & Linked<Request>> {
  #all: RequestQueue<Request>[] = [];
  #wanted: QueueCount = { queues: 0, handSize: 0 };
  #dealer: Dealer | undefined;
  #robin = 0;
  #dealt = 0;

  get all(): readonly RequestQueue<Request>[] {
    return this.#all;
  }

  /** Queues that are too many go when they are idle. */
  resize(wanted: QueueCount): void {
    const { queues, handSize } = wanted;
    if (queues !== this.#wanted.queues || handSize !== this.#wanted.handSize)
      this.#dealer = queues === 0 ? undefined : new Dealer(queues, handSize);
    this.#wanted = wanted;
    this.#all = this.#all.filter((queue, i) => i < queues || !queue.isIdle);
    this.#robin = 0;
    while (this.#all.length < queues) this.#all.push(new RequestQueue());
  }

  /** Of the hand that its flow has, the queue with the least work waiting. */
  choose(flowSchema: string, distinguisher: string): RequestQueue<Request> {
    const hand = this.#dealer?.handOf(flowSchema, distinguisher) ?? [0];
    const offset = this.#dealt++ % hand.length;
    let best: RequestQueue<Request> | undefined;
    for (let i = 0; i < hand.length; i++) {
      const queue = this.#all[hand[(offset + i) % hand.length] ?? 0];
      if (queue !== undefined && (best === undefined || queue.workWaiting < best.workWaiting)) best = queue;
    }
    if (best === undefined) throw new Error("a priority level has no queues");
    return best;
  }

  /** Of the oldest of each queue the one that would be done first. Queues after the last one that was taken from go first. */
  next(): Request | undefined {
    const count = this.#all.length;
    let best: Request | undefined;
    let [earliest, at] = [Number.POSITIVE_INFINITY, this.#robin];
    for (let i = 1; i <= count; i++) {
      const index = (this.#robin + i) % count;
      const queue = this.#all[index];
      const request = queue?.oldest;
      if (queue === undefined || request === undefined) continue;
      const finish = queue.nextDispatchR + request.totalWork;
      if (finish < earliest) [best, earliest, at] = [request, finish, index];
    }
    this.#robin = at;
    return best;
  }

  waiting(): readonly Request[] {
    return this.#all.flatMap((queue) => queue.waiting);
  }

  /** One that is idle and not wanted any more. */
  drop(queue: RequestQueue<Request>): void {
    if (this.#all.length <= this.#wanted.queues || !queue.isIdle) return;
    this.#all = this.#all.filter((one) => one !== queue);
    this.#robin = 0;
  }
}
