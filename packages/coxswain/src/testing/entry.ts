/** What of `coxswain/testing` there is at run time. */
export { applyYaml } from "./apply-yaml.ts";
export { everyFault, everyFaultAtEveryStep } from "./faults/every-step.ts";
export { FaultScript } from "./faults/fault-script.ts";
export { seededRandom } from "./random.ts";
export { startCluster } from "./start-cluster.ts";
export { VirtualClock, virtualClock } from "./virtual-clock.ts";
export { WaitError, waitFor } from "./wait-for.ts";
