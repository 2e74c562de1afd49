/** Clusters for tests: `coxswain/testing`, which comes by way of bin/testing.mjs. */
export type { InProcessUser } from "../in-process/in-process-callers.ts";
export type {
  RecordedChange,
  RecordedConflict,
  RecordedFailure,
  RecordedFault,
  RecordedObject,
  RecordedRef,
  RecordedRequest,
  RecordedWriter,
  RecordingBody,
  RecordingHeader,
} from "../recording/format.ts";
export type { ReplayOutcome } from "../replay/controller/outcome.ts";
export type { ReplayedController } from "../replay/controller/replayed-controller.ts";
export type { ReplayOptions, ReplayResult, ReplayStep } from "../replay/controller/run-against.ts";
export {
  assertAlreadyExists,
  assertCondition,
  assertConflict,
  assertControlledBy,
  assertEventuallyCondition,
  assertEventuallyDeleted,
  assertEventuallyReady,
  assertFinalizer,
  assertForbidden,
  assertInvalid,
  assertNotFound,
  assertReady,
} from "./assertions/assert.ts";
export type { ConditionOptions } from "./assertions/conditions.ts";
export { eventually } from "./assertions/eventually.ts";
export type { KubernetesMatchers } from "./assertions/matchers.ts";
export type { Duration, DurationParts } from "./chance-and-time/duration.ts";
export { type SeededRandom, seededRandom } from "./chance-and-time/random.ts";
export { VirtualClock, type VirtualClockOptions, virtualClock } from "./chance-and-time/virtual-clock.ts";
export { type ApplyYamlOptions, applyYaml, type Manifests } from "./cluster/apply-yaml.ts";
export type { ClusterObject } from "./cluster/cluster-object.ts";
export type { ClusterParts, RunningParts } from "./cluster/cluster-parts.ts";
export type { Listening } from "./cluster/listening.ts";
export { type ServingCertificate, servingCertificate } from "./cluster/serving-certificate.ts";
export type { ClusterSnapshot } from "./cluster/snapshot.ts";
export { startCluster } from "./cluster/start-cluster.ts";
export type { ClientForOptions, ClusterOptions, ClusterRecordingOptions, TestCluster } from "./cluster/test-cluster.ts";
export type { TestUser } from "./cluster/test-user.ts";
export { type Until, WaitError, type WaitErrorOptions, type WaitOptions, type WaitTarget, waitFor } from "./cluster/wait-for.ts";
export { type EveryStepOptions, type EveryStepResult, everyFaultAtEveryStep } from "./fault-runs/every-step.ts";
export { type RandomFaultsOptions, randomFaults } from "./fault-runs/random-faults.ts";
export { everyFault, type Scenario, type ScenarioOptions } from "./fault-runs/scenario.ts";
export type { Fault, FaultRule, RequestMatch } from "./faults/fault.ts";
export { FaultScript, type FiredFault, type Step, type WatchFault } from "./faults/fault-script.ts";
export type { SeenRequest } from "./faults/seen-request.ts";
export {
  type ClusterState,
  eachVersion,
  type Holds,
  type Invariants,
  type StatePredicate,
  type VersionChange,
  type VersionInvariant,
} from "./invariants/invariants.ts";
export { InvariantViolation } from "./invariants/violation.ts";
export { type WatchedInvariants, watchInvariants } from "./invariants/watch-invariants.ts";
export type { UseClusterOptions, UsedCluster } from "./lifecycle/cluster-by-hooks.ts";
export { useCluster } from "./lifecycle/use-cluster.ts";
export { type Recording, readRecording } from "./read-recording.ts";
export { describeReplay, replayRecording } from "./replay-recording.ts";
