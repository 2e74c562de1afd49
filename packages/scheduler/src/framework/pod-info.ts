/** A Pod as the scheduler sees it: what every node is asked about it, worked out once. */
import type { coreV1 } from "@coxswain/api";
import type { AffinityTerm, WeightedAffinityTerm } from "./affinity-term.ts";
import type { Resources } from "./resources.ts";

/** A Pod as the API has it. */
export type Pod = coreV1.Pod;

/** A HostPort is a port of the node that a container of a Pod asks for. */
export interface HostPort {
  /** `0.0.0.0` for all. */
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** A PodInfo is a Pod with what Filter and Score plugins need of it, computed once: kube-scheduler's `framework.PodInfo`. */
export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name`. */
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  /**
   * Containers, init containers, sidecars, overhead and pod-level resources, as kube-scheduler adds them up. `pods` is 0.
   * @see https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
   */
  readonly requests: Readonly<Resources>;
  /** The same, with 100m and 200 MB for containers that ask for no CPU or memory: what scoring goes by. */
  readonly nonZeroRequests: Readonly<Resources>;
  readonly hostPorts: readonly HostPort[];
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly WeightedAffinityTerm[];
  readonly preferredAntiAffinity: readonly WeightedAffinityTerm[];
  /** Whether it has pod affinity or anti-affinity of any sort. */
  readonly hasAffinity: boolean;
  /** Claims by name, those of generic ephemeral volumes too. */
  readonly claims: readonly string[];
}
