/** A pause stops the progress deadline: a Deployment that is resumed has not exceeded it. */
import { conditionIn, hasDeadline, withCondition } from "./conditions.ts";
import type { Deployment } from "./rollout.ts";

export function withPause(deployment: Deployment, nowMs: number): Deployment {
  const before = conditionIn(deployment, "Progressing")?.reason;
  if (!hasDeadline(deployment) || before === "ProgressDeadlineExceeded") return deployment;
  const isPaused = deployment.spec?.paused === true;
  if (isPaused === (before === "DeploymentPaused")) return deployment;
  const said = isPaused
    ? { reason: "DeploymentPaused", message: "Deployment is paused" }
    : { reason: "DeploymentResumed", message: "Deployment is resumed" };
  return withCondition(deployment, { type: "Progressing", status: "Unknown", ...said }, nowMs);
}
