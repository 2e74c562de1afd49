/** What attempts, bindings and failures have in common. */
import type { Client, EventRecorder, Lister } from "@coxswain/client";
import type { ClusterCache } from "../cache/cluster-cache.ts";
import type { Explanations } from "../explain/explanations.ts";
import type { Extender } from "../framework/extender.ts";
import type { Pod } from "../framework/pod-info.ts";
import type { SchedulerMetrics } from "../metrics/scheduler-metrics.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import type { Background } from "../runtime/background.ts";
import type { InFlightBindings } from "../runtime/in-flight-bindings.ts";
import type { Profile } from "../runtime/profile.ts";
import type { InFlightRequests } from "./in-flight-requests.ts";
import type { PodStatusWriter } from "./pod-status.ts";

export interface SchedulerParts {
  readonly client: Client;
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly pods: Pick<Lister<Pod>, "get">;
  readonly status: PodStatusWriter;
  readonly extenders: readonly Extender[];
  readonly bindings: InFlightBindings;
  readonly background: Background;
  readonly requests: InFlightRequests;
  readonly explanations: Explanations;
  readonly metrics: SchedulerMetrics;
  /** By schedulerName. */
  eventsOf(schedulerName: string): EventRecorder;
  readonly log: SchedulerLog;
}

export interface SchedulerLog {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
