/** Who bounds how many requests are served at a time, and follows what says so. */
import { type Clock, DisposableStack } from "@coxswain/machinery";
import type { FlowControl } from "../contracts/flow-control.ts";
import { defaultRequestTimeoutMs } from "../contracts/serving-options.ts";
import type { FlowSchemaObject } from "../flowcontrol/flow-schemas.ts";
import { MaxInFlight } from "../flowcontrol/max-in-flight.ts";
import { ObjectStatsReader } from "../flowcontrol/object-stats.ts";
import { PriorityAndFairness } from "../flowcontrol/priority-and-fairness.ts";
import type { PriorityLevelObject } from "../flowcontrol/priority-level.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { followResource } from "../storage/follow-resource.ts";
import type { ObjectReader } from "../storage/object-reader.ts";

/** As kube-apiserver's flags of these names. */
export interface FlowControlOptions {
  /** Default: true. */
  readonly enablePriorityAndFairness?: boolean;
  /** Requests that read. With priority and fairness both together are how many requests are served at a time. Default: 400. */
  readonly maxRequestsInflight?: number;
  /** Default: 200. */
  readonly maxMutatingRequestsInflight?: number;
}

export interface FollowedFlowControl extends Disposable {
  readonly flows: FlowControl | undefined;
}

interface Services {
  readonly reader: ObjectReader;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** That of requests which set none. */
  readonly requestTimeoutMs?: number | undefined;
}

const group = "flowcontrol.apiserver.k8s.io";
/** Of the time that a request has it may wait for a quarter, and never longer than this, as with Kubernetes. Milliseconds. */
const maxWaitOfAnyMs = 60_000;

/** Resolves once what is stored counts. Without options nothing is bounded. */
export async function createFlowControl(options: FlowControlOptions | undefined, services: Services): Promise<FollowedFlowControl> {
  const stack = new DisposableStack();
  const followed = (flows: FlowControl | undefined): FollowedFlowControl => ({ flows, [Symbol.dispose]: () => stack.dispose() });
  if (options === undefined) return followed(undefined);
  const { enablePriorityAndFairness = true, maxRequestsInflight = 400, maxMutatingRequestsInflight = 200 } = options;
  if (!enablePriorityAndFairness)
    return followed(new MaxInFlight({ maxReadOnly: maxRequestsInflight, maxMutating: maxMutatingRequestsInflight }));
  const { reader, clock, metrics, requestTimeoutMs = defaultRequestTimeoutMs } = services;
  const maxWaitMs = Math.min(requestTimeoutMs / 4, maxWaitOfAnyMs);
  const totalSeats = maxRequestsInflight + maxMutatingRequestsInflight;
  const stats = new ObjectStatsReader(reader);
  const flows = new PriorityAndFairness({ clock, totalSeats, maxWaitMs, series: metrics.flowControl, stats });
  stack.use(
    await followResource<FlowSchemaObject>(reader, { group, version: "v1", resource: "flowschemas" }, ({ name }, object) =>
      flows.setSchema(name, object),
    ),
  );
  stack.use(
    await followResource<PriorityLevelObject>(
      reader,
      { group, version: "v1", resource: "prioritylevelconfigurations" },
      ({ name }, object) => flows.setLevel(name, object),
    ),
  );
  return followed(flows);
}
