/** What the status says of the ReplicaSets. */
import type { appsV1 } from "@coxswain/api";
import { maxUnavailable } from "./bounds.ts";
import { type DeploymentCondition, saying, timed } from "./conditions.ts";
import { allOf, availableOf, type Deployment, type ReplicaSet, type Rollout, sum, wantedOf } from "./rollout.ts";

export type DeploymentStatus = appsV1.DeploymentStatus;

export function statusOf(rollout: Rollout, nowMs: number): DeploymentStatus {
  const { deployment, newest } = rollout;
  const { metadata, status } = deployment;
  const all = allOf(rollout);
  const available = sum(all, availableOf);
  const terminating = terminatingOf(all);
  return {
    ...nonZero({
      observedGeneration: metadata?.generation ?? 0,
      replicas: sum(all, (one) => one.status?.replicas),
      updatedReplicas: newest?.status?.replicas ?? 0,
      readyReplicas: sum(all, (one) => one.status?.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sum(all, wantedOf) - available),
    }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...(status?.collisionCount === undefined ? {} : { collisionCount: status.collisionCount }),
    conditions: saying(status?.conditions, timed(availability(deployment, available), nowMs)),
  };
}

/** All are of the newest template and available, and nothing else is there. */
export const isComplete = (deployment: Deployment, status: DeploymentStatus = {}): boolean =>
  (status.updatedReplicas ?? 0) === wantedOf(deployment) &&
  (status.replicas ?? 0) === wantedOf(deployment) &&
  (status.availableReplicas ?? 0) === wantedOf(deployment) &&
  (status.observedGeneration ?? 0) >= (deployment.metadata?.generation ?? 0);

function availability(deployment: Deployment, available: number): Omit<DeploymentCondition, "lastUpdateTime"> {
  return available >= wantedOf(deployment) - maxUnavailable(deployment)
    ? { type: "Available", status: "True", reason: "MinimumReplicasAvailable", message: "Deployment has minimum availability." }
    : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
}

/** Undefined as long as the status of one of them lacks it. */
function terminatingOf(replicaSets: readonly ReplicaSet[]): number | undefined {
  const silent = ({ status }: ReplicaSet): boolean => status?.terminatingReplicas === undefined && (status?.observedGeneration ?? 0) !== 0;
  return replicaSets.some(silent) ? undefined : sum(replicaSets, ({ status }) => status?.terminatingReplicas);
}

/** Counts of zero are absent on the wire. */
const nonZero = (counts: Readonly<Record<string, number>>): DeploymentStatus =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
