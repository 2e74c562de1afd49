export type * as api from "@coxswain/api";
export {
  type Clock,
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
export * from "./conditions.ts";
export * from "./conflict-explanation.ts";
export { type Controller, type ControllerOptions, controller, type Reconcile } from "./controller/controller.ts";
export type { ControllerLog } from "./controller/controller-log.ts";
export * from "./controller/logged-error.ts";
export * from "./controller/manager.ts";
export * from "./controller/outcome.ts";
export * from "./controller/predicates.ts";
export type { ReconcileContext } from "./controller/reconcile-context.ts";
export {
  byControllerIndex,
  itsController,
  type Keys,
  type Source,
  type SourceOptions,
  type SourceSetting,
  watching,
} from "./controller/source.ts";
export * from "./controller/start-controllers.ts";
export type { Task, TaskContext } from "./controller/task.ts";
export * from "./credentials.ts";
export * from "./discovery/discovered.ts";
export type { CorrelatorOptions } from "./events/event-correlator.ts";
export * from "./events/event-recorder.ts";
export { createSeriesRecorder } from "./events/series-recorder.ts";
export { type FetchTransportOptions, fetchTransport } from "./fetch-transport.ts";
export * from "./finalizers.ts";
export * from "./informer/change.ts";
export { createInformer } from "./informer/create-informer.ts";
export * from "./informer/indexes.ts";
export * from "./informer/informer.ts";
export { createInformerSet, type InformerLease, type InformerSet, type SharedInformerOptions } from "./informer/informer-set.ts";
export * from "./informer/lister.ts";
export { CacheBehindError, createOwnWrites, type OwnWrites } from "./informer/own-writes.ts";
export { compareVersions, isComparable } from "./informer/resource-version.ts";
export * from "./informer/transforms.ts";
export type { Bounds } from "./informer/within.ts";
export { type ClusterAccess, chooseAccess, type KubeconfigChoice } from "./kubeconfig/choose.ts";
export { impersonationHeaders } from "./kubeconfig/impersonation-headers.ts";
export * from "./kubeconfig/kubeconfig.ts";
export { KubeconfigError } from "./kubeconfig/kubeconfig-error.ts";
export { mergeKubeconfigs } from "./kubeconfig/merge.ts";
export { LeadershipLostError } from "./leader-election/fenced-transport.ts";
export * from "./leader-election/run-as-leader.ts";
export type { Term } from "./leader-election/term.ts";
export { countRequests } from "./metrics/count-requests.ts";
export { Histogram } from "./metrics/histogram.ts";
export * from "./metrics/registry.ts";
export * from "./owner-references.ts";
export * from "./resources/built-in.ts";
export * from "./rest/client.ts";
export { createClient } from "./rest/create-client.ts";
export * from "./rest/object-not-found.ts";
export * from "./rest/resource-ref.ts";
export * from "./rest/transport.ts";
export * from "./rest/watch-event.ts";
export * from "./retry-on-conflict.ts";
export * from "./streams/pod-exec.ts";
export * from "./streams/pod-logs.ts";
export * from "./streams/port-forward.ts";
export * from "./streams/run-in-pod.ts";
export * from "./workqueue/queue-metrics.ts";
export * from "./workqueue/rate-limiter.ts";
export * from "./workqueue/work-queue.ts";
