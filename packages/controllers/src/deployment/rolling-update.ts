/**
 * Replaces Pods a few at a time: more new ones as far as the surge goes, then fewer old ones as far as enough are available.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment
 */
import { isRollingUpdate, maxReplicas, maxUnavailable } from "./bounds.ts";
import { allOf, availableOf, byAge, type Deployment, isActive, type ReplicaSet, type Rollout, sum, wantedOf } from "./rollout.ts";
import { after, type Step, scaleStep } from "./steps.ts";

/** Up, or else down: not both at once, so that each sees what came of the other. */
export function planRollingUpdate(rollout: Rollout): readonly Step[] {
  const grown = scaleNewest(rollout);
  return grown.length > 0 ? grown : shrinkOld(rollout);
}

/** How large the newest may be now; as it is when there is no room. */
export function grownSize(rollout: Rollout): number {
  const { deployment, newest } = rollout;
  const wanted = wantedOf(deployment);
  if (!isRollingUpdate(deployment)) return wanted;
  const size = newest === undefined ? 0 : wantedOf(newest);
  const room = maxReplicas(deployment) - sum(allOf(rollout), wantedOf);
  return room <= 0 ? size : size + Math.min(room, wanted - size);
}

function scaleNewest(rollout: Rollout): readonly Step[] {
  const { deployment, newest } = rollout;
  if (newest === undefined) return [];
  const wanted = wantedOf(deployment);
  return scaleStep(deployment, newest, wantedOf(newest) >= wanted ? wanted : grownSize(rollout));
}

/**
 * As far as enough Pods remain even if those of the newest that are not available never will be. Pods that are of no use
 * anyway go first: a rollout must not wait for them.
 */
function shrinkOld(rollout: Rollout): readonly Step[] {
  const { deployment, newest } = rollout;
  const active = rollout.old.filter(isActive).sort(byAge);
  const fewest = wantedOf(deployment) - maxUnavailable(deployment);
  const pending = newest === undefined ? 0 : wantedOf(newest) - availableOf(newest);
  const surplus = sum(allOf(rollout), wantedOf) - fewest - pending;
  if (active.length === 0 || surplus <= 0) return [];
  const useless = shrinkEach(deployment, active, surplus, (one) => wantedOf(one) - availableOf(one));
  const left = after({ deployment, newest, old: active }, useless);
  const available = sum(allOf(left), availableOf) - fewest;
  return [...useless, ...shrinkEach(deployment, left.old, available, wantedOf)];
}

/** In this order, each by as much as it can give, until so many have gone in all. */
function shrinkEach(
  deployment: Deployment,
  replicaSets: readonly ReplicaSet[],
  most: number,
  givable: (replicaSet: ReplicaSet) => number,
): readonly Step[] {
  let left = most;
  return replicaSets.flatMap((replicaSet) => {
    const by = Math.min(left, givable(replicaSet), wantedOf(replicaSet));
    if (by <= 0) return [];
    left -= by;
    return scaleStep(deployment, replicaSet, wantedOf(replicaSet) - by);
  });
}
