/**
 * What a Deployment does when its size is changed: one ReplicaSet takes it all; in the middle of a rollout each takes its
 * share, so that the rollout becomes neither faster nor riskier.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#proportional-scaling
 */
import { desiredAnnotation, maxAnnotation, notedReplicas } from "./annotations.ts";
import { isRollingUpdate, maxReplicas, maxSurge } from "./bounds.ts";
import { allOf, availableOf, byAge, type Deployment, isActive, type ReplicaSet, type Rollout, sum, wantedOf } from "./rollout.ts";
import { type Step, scaleStep } from "./steps.ts";

/** The size has changed since the ReplicaSets got theirs. */
export const isScaled = (rollout: Rollout): boolean =>
  allOf(rollout)
    .filter(isActive)
    .some((replicaSet) => {
      const desired = notedReplicas(replicaSet, desiredAnnotation);
      return desired !== undefined && desired !== wantedOf(rollout.deployment);
    });

export function planScaling(rollout: Rollout): readonly Step[] {
  const { deployment, newest, old } = rollout;
  const active = allOf(rollout).filter(isActive);
  const only = active.length === 0 ? (newest ?? old.toSorted(byAge).at(-1)) : active.length === 1 ? active[0] : undefined;
  if (only !== undefined) return scaleStep(deployment, only, wantedOf(deployment));
  if (isSaturated(deployment, newest)) return old.filter(isActive).flatMap((replicaSet) => scaleStep(deployment, replicaSet, 0));
  if (!isRollingUpdate(deployment)) return [];
  return inProportion(deployment, active);
}

/** It has all Pods already, and they are available: what others have is left over. */
const isSaturated = (deployment: Deployment, newest: ReplicaSet | undefined): boolean =>
  newest !== undefined &&
  wantedOf(newest) === wantedOf(deployment) &&
  notedReplicas(newest, desiredAnnotation) === wantedOf(deployment) &&
  availableOf(newest) === wantedOf(deployment);

/** The largest first. Of equal ones the newer grow first, the older shrink first; what rounding leaves goes to the first. */
function inProportion(deployment: Deployment, active: readonly ReplicaSet[]): readonly Step[] {
  const allowed = wantedOf(deployment) > 0 ? wantedOf(deployment) + maxSurge(deployment) : 0;
  const change = allowed - sum(active, wantedOf);
  const order = change > 0 ? (a: ReplicaSet, b: ReplicaSet) => byAge(b, a) : byAge;
  const sorted = active.toSorted((a, b) => wantedOf(b) - wantedOf(a) || (change === 0 ? 0 : order(a, b)));
  let left = change;
  const sizes = sorted.map((replicaSet) => {
    const share = shareOf(deployment, replicaSet, left);
    left -= share;
    return wantedOf(replicaSet) + share;
  });
  return sorted.flatMap((replicaSet, i) => {
    const size = sizes[i] ?? 0;
    return scaleStep(deployment, replicaSet, i === 0 ? Math.max(0, size + left) : size, true);
  });
}

/** By how many it changes to keep its part of the whole; no further than `left`. */
function shareOf(deployment: Deployment, replicaSet: ReplicaSet, left: number): number {
  if (left === 0) return 0;
  const share = idealShare(deployment, replicaSet);
  return left > 0 ? Math.min(share, left) : Math.max(share, left);
}

function idealShare(deployment: Deployment, replicaSet: ReplicaSet): number {
  const size = wantedOf(replicaSet);
  if (wantedOf(deployment) === 0) return -size;
  // Whoever has tampered with the note gets an estimate.
  const before = notedReplicas(replicaSet, maxAnnotation) || (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : Math.floor((size * maxReplicas(deployment)) / before + 0.5) - size;
}
