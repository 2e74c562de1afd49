/** A request on its way through the queues of its priority level. */
import type { RequestInfo } from "../contracts/request-info.ts";
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

/** What a request is, for whoever looks into the queues. */
export interface FlowDescription {
  readonly userName: string;
  readonly info: RequestInfo;
  /** Milliseconds since the epoch. */
  readonly arrivedAt: number;
}

/** All times are monotonic milliseconds; work is in seats times milliseconds. */
export class FlowRequest implements Queued {
  readonly series: FlowSeries;
  readonly distinguisher: string;
  readonly estimate: WorkEstimate;
  readonly maxSeats: number;
  readonly totalWork: number;
  readonly arrivedAt: number;
  readonly waitUntil: number;
  readonly isGone: () => boolean;
  readonly description: FlowDescription;
  phase: FlowPhase = "new";
  queue: RequestQueue<FlowRequest> | undefined;
  /** What the level's progress was when it came. */
  arrivalR = 0;
  startedAt = 0;
  /** Set for one that waits. */
  decide: ((execute: boolean) => void) | undefined;

  constructor(options: Pick<FlowRequest, "series" | "distinguisher" | "estimate" | "arrivedAt" | "waitUntil" | "isGone" | "description">) {
    this.series = options.series;
    this.distinguisher = options.distinguisher;
    this.estimate = options.estimate;
    this.arrivedAt = options.arrivedAt;
    this.waitUntil = options.waitUntil;
    this.isGone = options.isGone;
    this.description = options.description;
    const { initialSeats, finalSeats, additionalLatencyMs } = options.estimate;
    this.maxSeats = Math.max(initialSeats, finalSeats);
    this.totalWork = initialSeats * estimatedServiceMs + finalSeats * additionalLatencyMs;
  }
}
