import type { Clock, EventRecorder } from "@coxswain/client";
import type { Explanations } from "../explain/explanations.ts";
import type { SchedulerMetrics } from "../metrics/scheduler-metrics.ts";

/** A Reporter is where scheduling and binding cycles report what they did: metrics, Events, logs, and what `explain` returns. */
export interface Reporter {
  readonly clock: Clock;
  readonly metrics: SchedulerMetrics;
  readonly explanations: Explanations;
  readonly log: SchedulerLog;
  eventsOf(schedulerName: string): EventRecorder;
}

export interface SchedulerLog {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
