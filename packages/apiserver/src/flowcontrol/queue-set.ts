/**
 * The queues of one priority level, served fairly: of those that wait, the request whose work would be done first if all
 * queues were worked on at the same time.
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/1040-priority-and-fairness#fair-queuing-for-server-requests
 */
import type { Clock } from "@coxswain/machinery";
import { LinkedSet } from "../http/linked-set.ts";
import { estimatedServiceMs, type FlowRequest } from "./flow-request.ts";
import { LingeringSeats } from "./lingering-seats.ts";
import type { Queuing } from "./queuing.ts";
import type { RequestQueue } from "./request-queue.ts";
import { RequestQueues } from "./request-queues.ts";
import { ResettableTimer } from "./resettable-timer.ts";
import { SeatDemand } from "./seat-demand.ts";
import type { TakesTurns, Turns } from "./thread-turns.ts";

export class QueueSet implements TakesTurns {
  readonly demand: SeatDemand;
  readonly counts = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  readonly #turns: Turns;
  readonly #lingering = new LingeringSeats();
  readonly #timer: ResettableTimer;
  #queuing: Queuing = { kind: "exempt" };
  readonly #queues = new RequestQueues<FlowRequest>();
  /** Those that run without having been in a queue. */
  readonly #queueless = new LinkedSet<FlowRequest>();
  #limit = 0;
  #currentR = 0;
  #syncedAt: number;
  #waiting = 0;
  #executing = 0;
  #seatsInUse = 0;
  #seatsWaiting = 0;
  #activeQueues = 0;
  #served = 0;

  constructor(clock: Clock, turns: Turns) {
    this.#turns = turns;
    this.#timer = new ResettableTimer(clock, (now) => this.#wake(now));
    this.#syncedAt = clock.monotonic();
    this.demand = new SeatDemand(this.#syncedAt);
  }

  get queues(): readonly RequestQueue<FlowRequest>[] {
    return this.#queues.all;
  }

  get queueless(): Iterable<FlowRequest> {
    return this.#queueless;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get executing(): number {
    return this.#executing;
  }

  get isIdle(): boolean {
    return this.#waiting + this.#executing === 0;
  }

  get served(): number {
    return this.#served;
  }

  /** A level that comes back after a while begins where the others are. */
  catchUp(served: number): void {
    if (served > this.#served) this.#served = served;
  }

  configure(queuing: Queuing, limit: number, now: number): void {
    this.#sync(now);
    this.#queuing = queuing;
    this.#limit = limit;
    this.#queues.resize(queuing.kind === "queue" ? queuing : { queues: 0, handSize: 0 });
    this.#dispatch(now);
  }

  /** Afterwards the request executes, waits, or is refused. */
  start(request: FlowRequest, now: number): void {
    this.#sync(now);
    if (this.#queuing.kind === "queue") this.#enqueue(request, this.#queuing, now);
    else if (this.#hasSeats(request.maxSeats)) this.#run(request, now);
    else this.#refuse(request, "concurrency-limit");
  }

  /** Gives back the seats of a request that ran; one that still waits never will. */
  end(request: FlowRequest, now: number): void {
    if (request.phase === "waiting") {
      this.#sync(now);
      this.#withdraw(request, now);
      this.counts.cancelled++;
    }
    if (request.phase !== "executing") return;
    request.phase = "ended";
    this.#sync(now);
    this.#executing--;
    const { series, queue, estimate } = request;
    series.executing--;
    const kind = request.info.verb === "watch" ? "watch" : "regular";
    series.executionSeconds[kind].observe((now - request.startedAt) / 1000);
    if (estimate.additionalLatencyMs <= 0) this.#release(request, now);
    else {
      this.#lingering.hold(request, now + estimate.additionalLatencyMs);
      if (this.#waiting > 0) this.#timer.set(this.#lingering.next, now);
    }
    if (queue === undefined) this.#queueless.delete(request);
    else {
      queue.executing.delete(request);
      if (queue.isIdle) this.#activeQueues--;
      queue.nextDispatchR -= estimate.initialSeats * (estimatedServiceMs - (now - request.startedAt));
      queue.boundNextDispatch();
      this.#queues.drop(queue);
    }
    if (this.#waiting > 0) this.#dispatch(now);
  }

  dispatchOne(now: number): boolean {
    this.#sync(now);
    for (;;) {
      const next = this.#next();
      if (next === undefined) return false;
      if (this.#give(next, now)) return true;
    }
  }

  /** Takes the oldest of a queue out of it. @returns whether it runs: nobody may wait for it any more */
  #give(request: FlowRequest, now: number): boolean {
    if (request.isGone) {
      this.#withdraw(request, now);
      this.counts.cancelled++;
      return false;
    }
    this.#unqueue(request, now);
    this.#run(request, now);
    const { queue } = request;
    if (queue !== undefined) queue.nextDispatchR += request.totalWork;
    return true;
  }

  #enqueue(request: FlowRequest, { queueLengthLimit }: Extract<Queuing, { kind: "queue" }>, now: number): void {
    let queue = this.#queues.choose(request.series.flowSchema, request.distinguisher);
    if (queue.length >= queueLengthLimit) {
      if (!this.#makeRoom(queue, now)) {
        this.#refuse(request, "queue-full");
        return;
      }
      queue = this.#queues.choose(request.series.flowSchema, request.distinguisher);
    }
    request.queue = queue;
    request.arrivalR = this.#currentR;
    if (queue.isIdle) {
      queue.nextDispatchR = this.#currentR;
      this.#activeQueues++;
    }
    request.series.queueLength.observe(queue.length + 1);
    if (this.#waiting === 0 && this.#hasSeats(request.maxSeats) && this.#turns.isOpen(now)) {
      this.#run(request, now);
      queue.nextDispatchR += request.totalWork;
      return;
    }
    this.#wait(request, queue, now);
    this.#dispatch(now);
  }

  #wait(request: FlowRequest, queue: RequestQueue<FlowRequest>, now: number): void {
    request.phase = "waiting";
    queue.push(request);
    queue.boundNextDispatch();
    this.#waiting++;
    this.#seatsWaiting += request.maxSeats;
    request.series.inQueue++;
    request.series.seatsInQueue += request.maxSeats;
    this.#noteDemand(now);
    this.#timer.set(Math.min(request.waitUntil, this.#lingering.next), now);
  }

  /** Requests whose clients have gone keep nobody out. */
  #makeRoom(queue: RequestQueue<FlowRequest>, now: number): boolean {
    const gone = queue.waiting.filter((request) => request.isGone);
    for (const request of gone) this.#withdraw(request, now);
    this.counts.cancelled += gone.length;
    return gone.length > 0;
  }

  #dispatch(now: number): void {
    while (this.#waiting > 0) {
      if (!this.#turns.isOpen(now)) {
        this.#turns.wait(this);
        return;
      }
      const next = this.#next();
      if (next === undefined) return;
      this.#give(next, now);
    }
  }

  /** The next one, if there are seats for it. */
  #next(): FlowRequest | undefined {
    const next = this.#waiting === 0 ? undefined : this.#queues.next();
    if (next === undefined || this.#hasSeats(next.maxSeats)) return next;
    next.series.noAccommodation++;
    return undefined;
  }

  /** One that needs more seats than there are runs alone. */
  #hasSeats(seats: number): boolean {
    if (this.#queuing.kind === "exempt") return true;
    if (seats > this.#limit) return this.#executing === 0;
    return this.#seatsInUse + seats <= this.#limit;
  }

  #run(request: FlowRequest, now: number): void {
    request.phase = "executing";
    request.startedAt = now;
    const { queue, series, maxSeats } = request;
    this.counts.dispatched++;
    this.#executing++;
    this.#seatsInUse += maxSeats;
    this.#served += maxSeats / Math.max(1, this.#limit);
    series.dispatched++;
    series.executing++;
    series.seatsExecuting += maxSeats;
    if (queue === undefined) this.#queueless.add(request);
    else {
      queue.executing.add(request);
      queue.seatsInUse += maxSeats;
    }
    if (this.#queuing.kind !== "exempt") series.waitSeconds.executed.observe((now - request.arrivedAt) / 1000);
    this.#noteDemand(now);
    request.decide?.(true);
  }

  #refuse(request: FlowRequest, reason: "queue-full" | "concurrency-limit" | "time-out"): void {
    request.phase = "refused";
    this.counts.rejected++;
    request.series.countRejection(reason);
    request.decide?.(false);
  }

  #unqueue(request: FlowRequest, now: number): void {
    const { queue, series, maxSeats } = request;
    queue?.remove(request);
    queue?.boundNextDispatch();
    this.#waiting--;
    this.#seatsWaiting -= maxSeats;
    series.inQueue--;
    series.seatsInQueue -= maxSeats;
    this.#noteDemand(now);
    if (this.#waiting === 0) this.#timer.cancel();
  }

  #withdraw(request: FlowRequest, now: number): void {
    const { queue } = request;
    this.#unqueue(request, now);
    if (queue?.isIdle === true) this.#activeQueues--;
    request.series.waitSeconds.refused.observe((now - request.arrivedAt) / 1000);
    this.#refuse(request, "time-out");
    if (queue !== undefined) this.#queues.drop(queue);
  }

  #release({ maxSeats, series, queue }: FlowRequest, now: number): void {
    this.#seatsInUse -= maxSeats;
    series.seatsExecuting -= maxSeats;
    if (queue !== undefined) queue.seatsInUse -= maxSeats;
    this.#noteDemand(now);
  }

  #noteDemand(now: number): void {
    this.demand.set(this.#seatsInUse + this.#seatsWaiting, now);
  }

  /** What has been going on since the last time counts at the rate at which it went on. */
  #sync(now: number): void {
    for (const request of this.#lingering.due(now)) this.#release(request, now);
    const elapsed = now - this.#syncedAt;
    if (elapsed <= 0) return;
    this.#syncedAt = now;
    if (this.#activeQueues === 0) return;
    this.#currentR += (elapsed * Math.min(this.#seatsInUse + this.#seatsWaiting, this.#limit)) / this.#activeQueues;
  }

  /** Only who waits needs to be woken: otherwise the next request finds out what time it is. */
  #wake(now: number): void {
    this.#sync(now);
    for (const request of this.#queues.waiting()) {
      if (request.waitUntil > now) continue;
      this.#withdraw(request, now);
      this.counts.timedOut++;
    }
    this.#dispatch(now);
    const next = this.#queues.waiting().reduce((earliest, { waitUntil }) => Math.min(earliest, waitUntil), this.#lingering.next);
    if (this.#waiting > 0) this.#timer.set(next, now);
  }
}
