/** A request on its way through the queues of its priority level. */
import type { FlowExchange } from "../contracts/flow-control.ts";
import type { RequestInfo } from "../contracts/request-info.ts";
import type { Linked } from "../http/linked-set.ts";
import type { FlowSeries } from "../metrics/flow-control.ts";
import type { Queued, RequestQueue } from "./request-queue.ts";

/** What a request takes of the server. A seat is the work of one ordinary request at a time. */
export interface WorkEstimate {
  /** While it is served. */
  readonly initialSeats: number;
  /** After that, for `additionalLatencyMs`: what others, as watchers, cost because of it. */
  readonly finalSeats: number;
  /** The client does not wait for it. */
  readonly additionalLatencyMs: number;
}

/** Nominal time of a request in a seat, before it is known. Milliseconds. */
export const estimatedServiceMs = 3;

/** In which phase a request is. */
export type FlowPhase = "new" | "waiting" | "executing" | "ended" | "refused";

/** What a request is: to begin with, and for whoever looks into the queues. */
export interface FlowRequestOptions {
  readonly series: FlowSeries;
  readonly exchange: Pick<FlowExchange, "request" | "user">;
  readonly info: RequestInfo;
  readonly estimate: WorkEstimate;
  readonly distinguisher: string;
  readonly arrivedAt: number;
  readonly waitUntil: number;
}

/** All times are monotonic milliseconds; work is in seats times milliseconds. */
export class FlowRequest implements Queued, Linked<FlowRequest> {
  readonly series: FlowSeries;
  readonly info: RequestInfo;
  readonly distinguisher: string;
  readonly estimate: WorkEstimate;
  readonly maxSeats: number;
  readonly totalWork: number;
  readonly arrivedAt: number;
  readonly waitUntil: number;
  phase: FlowPhase = "new";
  queue: RequestQueue<FlowRequest> | undefined;
  previous: FlowRequest | undefined;
  next: FlowRequest | undefined;
  /** What the level's progress was when it came. */
  arrivalR = 0;
  startedAt = 0;
  /** Set for one that waits. */
  decide: ((execute: boolean) => void) | undefined;
  readonly #exchange: Pick<FlowExchange, "request" | "user">;

  constructor({ series, exchange, info, estimate, distinguisher, arrivedAt, waitUntil }: FlowRequestOptions) {
    this.series = series;
    this.#exchange = exchange;
    this.info = info;
    this.estimate = estimate;
    this.distinguisher = distinguisher;
    this.arrivedAt = arrivedAt;
    this.waitUntil = waitUntil;
    const { initialSeats, finalSeats, additionalLatencyMs } = estimate;
    this.maxSeats = Math.max(initialSeats, finalSeats);
    this.totalWork = initialSeats * estimatedServiceMs + finalSeats * additionalLatencyMs;
  }

  get userName(): string {
    return this.#exchange.user.name;
  }

  /** Whether nobody waits for the answer any more. */
  get isGone(): boolean {
    return this.#exchange.request.isGone === true;
  }
}
