/** What to do for a Deployment, from what is known of it: first its ReplicaSets, then its status. */
import { planCleanUp } from "./clean-up.ts";
import { isComplete, statusOf } from "./deployment-status.ts";
import { syncNewest } from "./newest-replica-set.ts";
import { withPause } from "./pausing.ts";
import { nextProgressCheckMs, rolloutStatusOf } from "./progress.ts";
import { isOldRunning, scaleNewestAtOnce, shrinkAllOld } from "./recreate.ts";
import { planRollback, type Rollback, rollbackAskedFor } from "./rolling-back.ts";
import { planRollingUpdate } from "./rolling-update.ts";
import { type Deployment, type ReplicaSet, type Rollout, rolloutOf } from "./rollout.ts";
import { isScaled, planScaling } from "./scaling.ts";
import { after, merged, type Step } from "./steps.ts";

export interface ObservedDeployment {
  readonly deployment: Deployment;
  /** Its own. */
  readonly replicaSets: readonly ReplicaSet[];
  /** Whether a Pod of a ReplicaSet has not ended yet. */
  readonly runs: (replicaSet: ReplicaSet) => boolean;
  readonly nowMs: number;
}

export interface DeploymentPlan {
  readonly steps: readonly Step[];
  /** With its status, and the annotation of its revision, as they are after the steps. */
  readonly deployment: Deployment;
  /** Comes instead of all else: the template changes, and with it what is to be done. */
  readonly rollback?: Rollback;
  /** When to reconcile again though nothing has changed; 0: at once. */
  readonly againMs?: number | undefined;
}

export function plan({ deployment, replicaSets, runs, nowMs }: ObservedDeployment): DeploymentPlan {
  const isGoing = deployment.metadata?.deletionTimestamp !== undefined;
  const observed = rolloutOf(isGoing ? deployment : withPause(deployment, nowMs), replicaSets);
  if (isGoing) return resized(synced(observed, false, nowMs), () => [], nowMs);
  if (deployment.spec?.paused === true)
    return resized(synced(observed, false, nowMs), (rollout) => [...planScaling(rollout), ...planCleanUp(rollout)], nowMs);
  const revision = rollbackAskedFor(deployment);
  if (revision !== undefined) return rolledBack(synced(observed, true, nowMs), revision, nowMs);
  const known = synced(observed, false, nowMs);
  if (isScaled(known.rollout)) return resized(known, planScaling, nowMs);
  const isRecreated = deployment.spec?.strategy?.type === "Recreate";
  return isRecreated ? recreated(known, runs, nowMs) : rolled(synced(observed, true, nowMs), planRollingUpdate, nowMs);
}

/** How things are after some steps. */
interface Progress {
  readonly rollout: Rollout;
  readonly steps: readonly Step[];
}

function synced(observed: Rollout, create: boolean, nowMs: number): Progress {
  const { deployment, steps } = syncNewest(observed, { create, nowMs });
  return { rollout: after({ ...observed, deployment }, steps), steps };
}

const then = ({ rollout, steps }: Progress, more: readonly Step[]): Progress => ({
  rollout: after(rollout, more),
  steps: [...steps, ...more],
});

/** No rollout goes on by this: progress is not judged. */
function resized(before: Progress, plan: (rollout: Rollout) => readonly Step[], nowMs: number): DeploymentPlan {
  const { rollout, steps } = then(before, plan(before.rollout));
  return { steps: merged(steps), deployment: { ...rollout.deployment, status: statusOf(rollout, nowMs) } };
}

function recreated(known: Progress, runs: (replicaSet: ReplicaSet) => boolean, nowMs: number): DeploymentPlan {
  const emptied = shrinkAllOld(known.rollout);
  if (emptied.length > 0 || isOldRunning(known.rollout, runs)) return ended(then(known, emptied), nowMs);
  const made = known.rollout.newest === undefined ? synced(known.rollout, true, nowMs) : known;
  return rolled(made, scaleNewestAtOnce, nowMs);
}

/** The revisions are counted from the newest one: that comes first, and the rollback the next time. */
function rolledBack(known: Progress, revision: bigint, nowMs: number): DeploymentPlan {
  if (known.steps.length > 0) return ended(known, nowMs);
  const { deployment } = known.rollout;
  return { steps: [], deployment, rollback: planRollback(known.rollout, revision) };
}

/** Old revisions go when nothing else is to be done, and the status has reported that before. */
function rolled(before: Progress, plan: (rollout: Rollout) => readonly Step[], nowMs: number): DeploymentPlan {
  const scaled = plan(before.rollout);
  if (scaled.length > 0) return ended(then(before, scaled), nowMs);
  const { deployment } = before.rollout;
  return ended(isComplete(deployment, deployment.status) ? then(before, planCleanUp(before.rollout)) : before, nowMs);
}

function ended({ rollout, steps }: Progress, nowMs: number): DeploymentPlan {
  const deployment = { ...rollout.deployment, status: rolloutStatusOf(rollout, nowMs) };
  return { steps: merged(steps), deployment, againMs: nextProgressCheckMs(deployment, nowMs) };
}
