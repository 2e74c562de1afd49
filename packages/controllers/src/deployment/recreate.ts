/** Replaces all Pods at once: the new ones begin when none of the old runs any more. */
import { isActive, type ReplicaSet, type Rollout, wantedOf } from "./rollout.ts";
import { type Step, scaleStep } from "./steps.ts";

export const shrinkAllOld = ({ deployment, old }: Rollout): readonly Step[] =>
  old.filter(isActive).flatMap((replicaSet) => scaleStep(deployment, replicaSet, 0));

/** `runs` returns whether a Pod of a ReplicaSet has not ended yet. */
export const isOldRunning = ({ old }: Rollout, runs: (replicaSet: ReplicaSet) => boolean): boolean =>
  old.some((replicaSet) => (replicaSet.status?.replicas ?? 0) > 0 || runs(replicaSet));

export const scaleNewestAtOnce = ({ deployment, newest }: Rollout): readonly Step[] =>
  newest === undefined ? [] : scaleStep(deployment, newest, wantedOf(deployment));
