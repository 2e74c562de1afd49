export {
  type Clock,
  type Counter,
  type Gauge,
  Histogram,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNamespaceTerminating,
  isNotAcceptable,
  isNotFound,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooLarge,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnexpectedServerError,
  isUnsupportedMediaType,
  type KubeObject,
  type MetricLabels,
  MetricsRegistry,
  type ObjectMeta,
  type OwnerReference,
  type RandomSource,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  sleep,
  systemClock,
  systemRandom,
} from "@coxswain/machinery";
export type * as api from "@coxswain/types";
export * from "./cache/change.ts";
export * from "./cache/indexes.ts";
export * from "./cache/lister.ts";
export { compareVersions, isComparable } from "./cache/resource-version.ts";
export * from "./cache/transforms.ts";
export { createClient } from "./client/create-client.ts";
export * from "./contracts/client.ts";
export type { ControllerLog } from "./contracts/controller-log.ts";
export * from "./contracts/discovered.ts";
export * from "./contracts/reconcile-failures.ts";
export * from "./contracts/resource-ref.ts";
export * from "./contracts/watch-event.ts";
export { type Controller, type ControllerOptions, controller, type Reconcile } from "./controller/controller.ts";
export * from "./controller/manager.ts";
export * from "./controller/outcome.ts";
export * from "./controller/predicates.ts";
export type { ReconcileContext } from "./controller/reconcile-context.ts";
export {
  type AddKey,
  byControllerIndex,
  itsController,
  type Keys,
  type Source,
  type SourceConnection,
  type SourceOptions,
  type SourceSetting,
  watching,
} from "./controller/source.ts";
export * from "./controller/start-controllers.ts";
export type { Task, TaskContext } from "./controller/task.ts";
export type { CorrelatorOptions } from "./events/event-correlator.ts";
export * from "./events/event-recorder.ts";
export { createSeriesRecorder } from "./events/series-recorder.ts";
export { CacheBehindError, createExpectations, type Expectations } from "./expectations/expectations.ts";
export { type FetchTransportOptions, fetchTransport } from "./fetch/fetch-transport.ts";
export * from "./flowcontrol/limit-in-flight.ts";
export * from "./flowcontrol/limit-rate.ts";
export { type ChangedLeaf, changedLeaves, formatSteps } from "./hot-loop/changed-leaves.ts";
export { createInformer } from "./informer/create-informer.ts";
export * from "./informer/informer.ts";
export { createInformerSet, type InformerLease, type InformerSet, type SharedInformerOptions } from "./informer/informer-set.ts";
export type { Bounds } from "./informer/within.ts";
export { type ClusterAccess, chooseAccess, type KubeconfigChoice } from "./kubeconfig/choose.ts";
export { impersonationHeaders } from "./kubeconfig/impersonation-headers.ts";
export * from "./kubeconfig/kubeconfig.ts";
export { KubeconfigError } from "./kubeconfig/kubeconfig-error.ts";
export { mergeKubeconfigs } from "./kubeconfig/merge.ts";
export { LeadershipLostError } from "./leader-election/fenced-transport.ts";
export * from "./leader-election/run-as-leader.ts";
export type { Term } from "./leader-election/term.ts";
export * from "./logging/logged-error.ts";
export * from "./metadata/conditions.ts";
export * from "./metadata/finalizers.ts";
export * from "./metadata/owner-references.ts";
export { countRequests } from "./metrics/count-requests.ts";
export * from "./resources/built-in.ts";
export * from "./rest/object-not-found.ts";
export * from "./retry/conflict-explanation.ts";
export * from "./retry/retry-on-conflict.ts";
export * from "./streams/pod-exec.ts";
export * from "./streams/pod-logs.ts";
export * from "./streams/port-forward.ts";
export * from "./streams/run-in-pod.ts";
export * from "./transport/cancellable.ts";
export * from "./transport/credentials.ts";
export * from "./transport/transport.ts";
export * from "./workqueue/queue-metrics.ts";
export * from "./workqueue/rate-limiter.ts";
export * from "./workqueue/work-queue.ts";
