/** Clusters for tests: `coxswain/testing`, which comes by way of bin/testing.mjs. */
export type { InProcessUser } from "../in-process-callers.ts";
export { type ApplyYamlOptions, applyYaml, type Manifests } from "./apply-yaml.ts";
export type { ClusterParts, RunningParts } from "./cluster-parts.ts";
export { type EveryStepOptions, type EveryStepResult, everyFaultAtEveryStep } from "./faults/every-step.ts";
export type { Fault, FaultRule, RequestMatch } from "./faults/fault.ts";
export { FaultScript, type FiredFault, type Step, type WatchFault } from "./faults/fault-script.ts";
export { type RandomFaultsOptions, randomFaults } from "./faults/random-faults.ts";
export { everyFault, type Scenario, type ScenarioOptions } from "./faults/scenario.ts";
export type { SeenRequest } from "./faults/seen-request.ts";
export type { Listening } from "./listening.ts";
export { type SeededRandom, seededRandom } from "./random.ts";
export { type ServingCertificate, servingCertificate } from "./serving-certificate.ts";
export type { ClusterSnapshot } from "./snapshot.ts";
export { startCluster } from "./start-cluster.ts";
export type { ClientForOptions, ClusterOptions, TestCluster, TestUser } from "./test-cluster.ts";
export { type Duration, VirtualClock, type VirtualClockOptions, virtualClock } from "./virtual-clock.ts";
export { type Until, WaitError, type WaitOptions, waitFor } from "./wait-for.ts";
