/**
 * Whether a rollout goes on, has come to its end, or takes too long.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status
 */
import { goQuote, millisOf } from "@coxswain/machinery";
import { conditionIn, type DeploymentCondition, hasDeadline, replacing, type Said, saying, silentOn, timed } from "./conditions.ts";
import { type DeploymentStatus, isComplete, statusOf } from "./deployment-status.ts";
import type { Deployment, Rollout } from "./rollout.ts";

/** The status with a word about progress and about Pods that cannot be made. */
export function rolloutStatusOf(rollout: Rollout, nowMs: number): DeploymentStatus {
  const status = statusOf(rollout, nowMs);
  const progress = progressConditions(rollout, status, nowMs);
  const failure = replicaFailure(rollout);
  const conditions = failure === undefined ? silentOn(progress, "ReplicaFailure") : saying(progress, failure);
  return { ...status, conditions };
}

function progressConditions(rollout: Rollout, status: DeploymentStatus, nowMs: number): DeploymentCondition[] {
  const { deployment } = rollout;
  const conditions = status.conditions ?? [];
  if (!hasDeadline(deployment)) return silentOn(conditions, "Progressing");
  const before = conditionIn(deployment, "Progressing");
  // Nothing is rolled out: what goes on now is a change of size, or Pods come and go.
  if (before?.reason === "NewReplicaSetAvailable" && (status.replicas ?? 0) === (status.updatedReplicas ?? 0)) return conditions;
  const say = (state: string, rest: Pick<Said, "status" | "reason">): DeploymentCondition =>
    timed({ type: "Progressing", ...rest, message: `${subjectOf(rollout)} ${state}.` }, nowMs);
  if (isComplete(deployment, status))
    return saying(conditions, say("has successfully progressed", { status: "True", reason: "NewReplicaSetAvailable" }));
  // Any progress restarts the deadline, whatever the condition was.
  if (hasProgressed(deployment.status ?? {}, status))
    return replacing(conditions, say("is progressing", { status: "True", reason: "ReplicaSetUpdated" }));
  if (isLate(deployment, before, nowMs))
    return saying(conditions, say("has timed out progressing", { status: "False", reason: "ProgressDeadlineExceeded" }));
  return conditions;
}

const subjectOf = ({ deployment, newest }: Rollout): string =>
  newest === undefined ? `Deployment ${goQuote(deployment.metadata?.name ?? "")}` : `ReplicaSet ${goQuote(newest.metadata?.name ?? "")}`;

/** More new Pods, or fewer old ones, or more that are ready or available. */
function hasProgressed(before: DeploymentStatus, now: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isLate(deployment: Deployment, progressing: DeploymentCondition | undefined, nowMs: number): boolean {
  if (progressing === undefined || progressing.reason === "NewReplicaSetAvailable") return false;
  if (progressing.reason === "ProgressDeadlineExceeded") return true;
  return deadlineOf(deployment, progressing) < nowMs;
}

/** Since the epoch. */
const deadlineOf = ({ spec }: Deployment, { lastUpdateTime }: DeploymentCondition): number =>
  (millisOf(lastUpdateTime) ?? 0) + (spec?.progressDeadlineSeconds ?? 0) * 1000;

/**
 * In how many milliseconds to see whether it has become late, as no event would show that; 0: at once. Undefined when it
 * cannot, or is already.
 */
export function nextProgressCheckMs(deployment: Deployment, nowMs: number): number | undefined {
  const progressing = conditionIn(deployment, "Progressing");
  if (!hasDeadline(deployment) || progressing === undefined) return undefined;
  if (isComplete(deployment, deployment.status) || progressing.reason === "ProgressDeadlineExceeded") return undefined;
  const afterMs = deadlineOf(deployment, progressing) - nowMs;
  // Conditions have whole seconds.
  return afterMs < 1000 ? 0 : afterMs + 1000;
}

/** The newest ReplicaSet's trouble, or else another's. */
function replicaFailure({ newest, old }: Rollout): DeploymentCondition | undefined {
  for (const { status } of newest === undefined ? old : [newest, ...old]) {
    const failure = status?.conditions?.find(({ type }) => type === "ReplicaFailure");
    if (failure === undefined) continue;
    const { lastTransitionTime } = failure;
    return { ...failure, ...(lastTransitionTime === undefined ? {} : { lastUpdateTime: lastTransitionTime }) };
  }
  return undefined;
}
