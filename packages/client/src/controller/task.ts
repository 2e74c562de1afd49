/** Work beside the controllers that is no reconcile of one object at a time: a sweep every so often, a graph of everything. */

import type { MetricsRegistry } from "@coxswain/machinery";
import type { Client } from "../contracts/client.ts";
import type { ControllerLog } from "../contracts/controller-log.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { InformerSet } from "../informer/informer-set.ts";

/** Work that runs beside controllers and under the same leadership. */
export interface Task {
  /** In logs; no controller or task beside it has the same. */
  readonly name: string;
  /** Who says what it records as Events. Default: the manager's. */
  readonly component?: string;
  /** With whose rights it works, where the manager has clients for service accounts. */
  readonly serviceAccount?: string;
  /**
   * Until the signal is aborted and all that it began has ended, or until it has nothing left to do. When it rejects,
   * everything beside it ends too: what can be repeated is for the task to repeat.
   */
  run(ctx: TaskContext, signal: AbortSignal): Promise<void>;
}

/** What a task works with. */
export interface TaskContext {
  /** Writes only while it may: fenced where there is a leader. */
  readonly client: Client;
  /** Shared with the controllers. Informers run from the first use on: wait for `synced` of those just taken. */
  readonly informers: InformerSet;
  readonly events: EventRecorder;
  readonly metrics: MetricsRegistry;
  readonly log: ControllerLog;
}
