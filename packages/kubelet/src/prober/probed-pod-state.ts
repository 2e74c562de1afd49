import type { Pod } from "../pod/pod.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";

/** A Pod as the worker last saw it. */
export interface ProbedPodState {
  readonly pod: Pod;
  readonly containers: readonly ContainerStatus[];
  readonly podIp: string;
  readonly changed: () => void;
}
