/** How many Pods a PodDisruptionBudget counts on, and how many of them must be healthy. */
import type { policyV1 } from "@coxswain/api";
import { controllerOf } from "@coxswain/client";
import type { OwnerReference } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import { scaledValue } from "../shared/workloads/scaled-value.ts";

export type Budget = policyV1.PodDisruptionBudget;

/** Who is behind a Pod in the end, such as the Deployment of its ReplicaSet, and how many Pods it wants. */
export interface Workload {
  readonly uid: string;
  readonly replicas: number;
}

/** Undefined when it is not there. @throws Error when it has no scale */
export type FindWorkload = (controller: OwnerReference) => Promise<Workload | undefined>;

export interface ExpectedPods {
  readonly expected: number;
  readonly healthy: number;
  /** Pods without a controller: with them percentages cannot be computed. */
  readonly unmanaged: readonly Pod[];
}

/** @throws Error when it cannot be computed */
export async function expectedPods({ spec }: Budget, pods: readonly Pod[], find: FindWorkload): Promise<ExpectedPods> {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined) {
    const { expected, unmanaged } = await wantedInAll(pods, find);
    return { expected, healthy: Math.max(0, expected - scaledValue(maxUnavailable, expected, Math.ceil)), unmanaged };
  }
  if (typeof minAvailable === "number") return { expected: pods.length, healthy: minAvailable, unmanaged: [] };
  if (minAvailable === undefined) return { expected: 0, healthy: 0, unmanaged: [] };
  const { expected, unmanaged } = await wantedInAll(pods, find);
  return { expected, healthy: scaledValue(minAvailable, expected, Math.ceil), unmanaged };
}

/** By all workloads that the Pods are of. */
async function wantedInAll(pods: readonly Pod[], find: FindWorkload): Promise<Pick<ExpectedPods, "expected" | "unmanaged">> {
  const wanted = new Map<string, number>();
  const seen = new Set<string>();
  const unmanaged: Pod[] = [];
  for (const pod of pods) {
    const controller = controllerOf(pod);
    if (controller === undefined) unmanaged.push(pod);
    else if (!seen.has(controller.uid)) {
      const workload = await find(controller);
      if (workload === undefined) throw new Error(`found no controllers for pod ${JSON.stringify(pod.metadata?.name)}`);
      seen.add(controller.uid);
      wanted.set(workload.uid, workload.replicas);
    }
  }
  return { expected: [...wanted.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}
