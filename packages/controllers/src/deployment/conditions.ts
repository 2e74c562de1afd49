/** Conditions of a Deployment, which also have the time of their last confirmation. */
import type { appsV1 } from "@coxswain/api";
import { wireTime } from "@coxswain/machinery";
import type { Deployment } from "./rollout.ts";

export type DeploymentCondition = appsV1.DeploymentCondition;

/** Without times: they are those of now. */
export type Said = Readonly<Pick<DeploymentCondition, "type" | "status" | "reason" | "message">>;

/** A Deployment that is never said to be late has none. */
export const hasDeadline = ({ spec }: Deployment): boolean =>
  spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2 ** 31 - 1;

export const conditionIn = ({ status }: Deployment, type: string): DeploymentCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

export const withCondition = (deployment: Deployment, said: Said, nowMs: number): Deployment => ({
  ...deployment,
  status: { ...deployment.status, conditions: saying(deployment.status?.conditions, timed(said, nowMs)) },
});

export const timed = (said: Said, nowMs: number): DeploymentCondition => {
  const now = wireTime(nowMs);
  return { ...said, lastUpdateTime: now, lastTransitionTime: now };
};

/** At the end; one that says the same for the same reason stays as it is. */
export function saying(conditions: readonly DeploymentCondition[] = [], next: DeploymentCondition): DeploymentCondition[] {
  const before = conditions.find(({ type }) => type === next.type);
  if (before?.status === next.status && before.reason === next.reason) return [...conditions];
  return replacing(conditions, next);
}

/** The same, but confirms also what was said before. */
export function replacing(conditions: readonly DeploymentCondition[], next: DeploymentCondition): DeploymentCondition[] {
  const before = conditions.find(({ type }) => type === next.type);
  const since = before?.status === next.status ? before.lastTransitionTime : next.lastTransitionTime;
  return [...silentOn(conditions, next.type), { ...next, ...(since === undefined ? {} : { lastTransitionTime: since }) }];
}

export const silentOn = (conditions: readonly DeploymentCondition[] = [], type: string): DeploymentCondition[] =>
  conditions.filter((condition) => condition.type !== type);
