/** Old ReplicaSets are kept to roll back to, but not all for ever. */
import { revisionOf } from "./annotations.ts";
import { byAge, type ReplicaSet, type Rollout, wantedOf } from "./rollout.ts";
import type { Step } from "./steps.ts";

/** The oldest revisions beyond `spec.revisionHistoryLimit`, as far as they are empty and known to be. */
export function planCleanUp({ deployment, old }: Rollout): readonly Step[] {
  const limit = deployment.spec?.revisionHistoryLimit;
  if (limit === undefined || limit === 2 ** 31 - 1) return [];
  const alive = old.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  return alive
    .toSorted(byRevision)
    .slice(0, Math.max(0, alive.length - limit))
    .filter(isEmpty)
    .map((replicaSet) => ({ do: "delete", replicaSet }));
}

const isEmpty = (replicaSet: ReplicaSet): boolean =>
  wantedOf(replicaSet) === 0 &&
  (replicaSet.status?.replicas ?? 0) === 0 &&
  (replicaSet.metadata?.generation ?? 0) <= (replicaSet.status?.observedGeneration ?? 0);

function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [revisionOf(a), revisionOf(b)];
  return first === undefined || second === undefined || first === second ? byAge(a, b) : first < second ? -1 : 1;
}
