/**
 * What is counted about priority and fairness, under Kubernetes' names.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#metrics
 */
import { Histogram, type MetricLabels } from "@coxswain/machinery";
import type { Definers } from "./definers.ts";

/** Why a request was refused. */
export type FlowRejection = "queue-full" | "concurrency-limit" | "time-out";

const seconds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const lengths = [0, 10, 25, 50, 100, 250, 500, 1000];
const seats = [1, 2, 4, 8, 16, 32, 64, 100];

/** The requests of a FlowSchema in its priority level. */
export class FlowSeries {
  readonly priorityLevel: string;
  readonly flowSchema: string;
  dispatched = 0;
  noAccommodation = 0;
  inQueue = 0;
  seatsInQueue = 0;
  executing = 0;
  seatsExecuting = 0;
  readonly rejected = new Map<FlowRejection, number>();
  readonly waitSeconds = { executed: new Histogram(seconds), refused: new Histogram(seconds) };
  readonly executionSeconds = { regular: new Histogram(seconds), watch: new Histogram(seconds) };
  readonly queueLength = new Histogram(lengths);
  readonly estimatedSeats = new Histogram(seats);

  constructor(priorityLevel: string, flowSchema: string) {
    this.priorityLevel = priorityLevel;
    this.flowSchema = flowSchema;
  }

  countRejection(reason: FlowRejection): void {
    this.rejected.set(reason, (this.rejected.get(reason) ?? 0) + 1);
  }
}

/** The seats of a priority level. */
export interface LevelSeries {
  nominal: number;
  lower: number;
  upper: number;
  current: number;
  target: number;
  demand: { readonly highWatermark: number; readonly average: number; readonly deviation: number; readonly smoothed: number };
}

export class FlowControlSeries {
  readonly flows = new Map<string, FlowSeries>();
  levels: ReadonlyMap<string, LevelSeries> = new Map();
  fairFraction = 0;

  flowOf(priorityLevel: string, flowSchema: string): FlowSeries {
    const key = `${priorityLevel}/${flowSchema}`;
    const known = this.flows.get(key) ?? new FlowSeries(priorityLevel, flowSchema);
    this.flows.set(key, known);
    return known;
  }
}

const prefix = "apiserver_flowcontrol_";

export function exposeFlowControl(definers: Definers, series: FlowControlSeries): void {
  if (series.levels.size === 0) return;
  exposeRequests(definers, [...series.flows.values()]);
  exposeTimes(definers, [...series.flows.values()]);
  exposeSeats(definers, series);
}

const labelsOf = ({ priorityLevel, flowSchema }: FlowSeries): MetricLabels => ({ priority_level: priorityLevel, flow_schema: flowSchema });

function exposeRequests({ counter, gauge }: Definers, flows: readonly FlowSeries[]): void {
  const each = (value: (flow: FlowSeries) => number) => flows.map((flow) => [labelsOf(flow), value(flow)] as const);
  counter(
    `${prefix}rejected_requests_total`,
    "[BETA] Number of requests rejected by API Priority and Fairness subsystem",
    flows.flatMap((flow) => [...flow.rejected].map(([reason, count]) => [{ ...labelsOf(flow), reason }, count] as const)),
  );
  counter(
    `${prefix}dispatched_requests_total`,
    "[BETA] Number of requests executed by API Priority and Fairness subsystem",
    each(({ dispatched }) => dispatched),
  );
  counter(
    `${prefix}request_dispatch_no_accommodation_total`,
    "[ALPHA] Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats",
    each(({ noAccommodation }) => noAccommodation),
  );
  gauge(
    `${prefix}current_inqueue_requests`,
    "[BETA] Number of requests currently pending in queues of the API Priority and Fairness subsystem",
    each(({ inQueue }) => inQueue),
  );
  gauge(
    `${prefix}current_inqueue_seats`,
    "[ALPHA] Number of seats currently pending in queues of the API Priority and Fairness subsystem",
    each(({ seatsInQueue }) => seatsInQueue),
  );
  gauge(
    `${prefix}current_executing_requests`,
    "[BETA] Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem",
    each(({ executing }) => executing),
  );
  gauge(
    `${prefix}current_executing_seats`,
    "[BETA] Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem",
    each(({ seatsExecuting }) => seatsExecuting),
  );
}

function exposeTimes({ histogram }: Definers, flows: readonly FlowSeries[]): void {
  histogram(
    `${prefix}request_wait_duration_seconds`,
    "[BETA] Length of time a request spent waiting in its queue",
    flows.flatMap((flow) => [
      [{ ...labelsOf(flow), execute: "true" }, flow.waitSeconds.executed] as const,
      [{ ...labelsOf(flow), execute: "false" }, flow.waitSeconds.refused] as const,
    ]),
  );
  histogram(
    `${prefix}request_execution_seconds`,
    "[ALPHA] Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem",
    flows.flatMap((flow) => [
      [{ ...labelsOf(flow), type: "regular" }, flow.executionSeconds.regular] as const,
      [{ ...labelsOf(flow), type: "watch" }, flow.executionSeconds.watch] as const,
    ]),
  );
  histogram(
    `${prefix}request_queue_length_after_enqueue`,
    "[ALPHA] Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued",
    flows.map((flow) => [labelsOf(flow), flow.queueLength] as const),
  );
  histogram(
    `${prefix}work_estimated_seats`,
    "[ALPHA] Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness",
    flows.map((flow) => [labelsOf(flow), flow.estimatedSeats] as const),
  );
}

function exposeSeats({ gauge }: Definers, { levels, fairFraction }: FlowControlSeries): void {
  const each = (name: string, help: string, value: (level: LevelSeries) => number): void =>
    gauge(
      `${prefix}${name}`,
      help,
      [...levels].map(([priority_level, level]) => [{ priority_level }, value(level)] as const),
    );
  each("nominal_limit_seats", "[BETA] Nominal number of execution seats configured for each priority level", ({ nominal }) => nominal);
  each(
    "lower_limit_seats",
    "[ALPHA] Configured lower bound on number of execution seats available to each priority level",
    ({ lower }) => lower,
  );
  each(
    "upper_limit_seats",
    "[ALPHA] Configured upper bound on number of execution seats available to each priority level",
    ({ upper }) => upper,
  );
  each(
    "current_limit_seats",
    "[ALPHA] current derived number of execution seats available to each priority level",
    ({ current }) => current,
  );
  each("target_seats", "[ALPHA] Seat allocation targets", ({ target }) => target);
  each(
    "demand_seats_high_watermark",
    "[ALPHA] High watermark, over last adjustment period, of demand_seats",
    ({ demand }) => demand.highWatermark,
  );
  each(
    "demand_seats_average",
    "[ALPHA] Time-weighted average, over last adjustment period, of demand_seats",
    ({ demand }) => demand.average,
  );
  each(
    "demand_seats_stdev",
    "[ALPHA] Time-weighted standard deviation, over last adjustment period, of demand_seats",
    ({ demand }) => demand.deviation,
  );
  each("demand_seats_smoothed", "[ALPHA] Smoothed seat demands", ({ demand }) => demand.smoothed);
  gauge(`${prefix}seat_fair_frac`, "[ALPHA] Fair fraction of server's concurrency to allocate to each priority level that can use it", [
    [{}, fairFraction],
  ]);
}
