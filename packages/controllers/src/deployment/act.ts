/** Does what the plan says, in order, and records Events of it. */
import {
  deployments,
  type EventRecorder,
  isAlreadyExists,
  isControlledBy,
  isNamespaceTerminating,
  type ReconcileContext,
  replicaSets,
  unlessNotFound,
} from "@coxswain/client";
import { deepEqual, goQuote, messageOf } from "@coxswain/machinery";
import { hasDeadline, withCondition } from "./conditions.ts";
import type { DeploymentPlan } from "./plan.ts";
import { type Deployment, hasTemplate, type ReplicaSet, wantedOf } from "./rollout.ts";
import type { Step } from "./steps.ts";

export type DeploymentContext = Pick<ReconcileContext<Deployment>, "client" | "cache" | "events" | "signal">;

/** @throws whatever a write ends with: the reconcile is repeated */
export async function act(ctx: DeploymentContext, observed: Deployment, planned: DeploymentPlan): Promise<void> {
  if (planned.rollback !== undefined) return await rollBack(ctx, planned.rollback);
  for (const step of planned.steps) await actOnStep(ctx, observed, step);
  // The revision is written with the status: an annotation that a status update may change.
  if (!deepEqual(planned.deployment, observed)) await writeStatus(ctx, planned.deployment);
}

async function actOnStep(ctx: DeploymentContext, deployment: Deployment, step: Step): Promise<void> {
  switch (step.do) {
    case "create":
      return await create(ctx, deployment, step.replicaSet);
    case "update": {
      await replicaSetsIn(ctx, deployment).update(step.replicaSet, { signal: ctx.signal });
      return recordScaled(ctx.events, deployment, step.replicaSet, wantedOf(step.from));
    }
    case "delete":
      return await remove(ctx, deployment, step.replicaSet);
  }
}

async function create(ctx: DeploymentContext, deployment: Deployment, replicaSet: ReplicaSet): Promise<void> {
  try {
    await replicaSetsIn(ctx, deployment).create(replicaSet, { signal: ctx.signal });
  } catch (error) {
    if (isAlreadyExists(error)) return await settleCollision(ctx, deployment, replicaSet, error);
    if (!isNamespaceTerminating(error)) await reportCreateFailure(ctx, deployment, replicaSet, error);
    throw error;
  }
  recordScaled(ctx.events, deployment, replicaSet, 0);
}

/** It may be the one wanted, which a slow cache did not show; or two templates have one hash, and the next must differ. */
async function settleCollision(ctx: DeploymentContext, deployment: Deployment, wanted: ReplicaSet, error: unknown): Promise<void> {
  const { namespace, name = "" } = wanted.metadata ?? {};
  const existing = ctx.cache(replicaSets).get({ namespace, name });
  if (existing === undefined) throw error;
  if (isControlledBy(existing, deployment) && hasTemplate(deployment, existing.spec?.template)) return;
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  await writeStatus(ctx, { ...deployment, status: { ...deployment.status, collisionCount } });
  throw error;
}

/** Failures of this report are dropped: the first error matters more. */
async function reportCreateFailure(
  ctx: DeploymentContext,
  deployment: Deployment,
  { metadata }: ReplicaSet,
  error: unknown,
): Promise<void> {
  const reason = "ReplicaSetCreateError";
  const because = messageOf(error);
  const message = `Failed to create new replica set ${goQuote(metadata?.name ?? "")}: ${because}`;
  ctx.events.record(deployment, { type: "Warning", reason, message }, deployments);
  if (!hasDeadline(deployment)) return;
  const failed = withCondition(deployment, { type: "Progressing", status: "False", reason, message }, ctx.client.clock.now());
  if (!deepEqual(failed, deployment)) await writeStatus(ctx, failed).catch(() => undefined);
}

async function remove(ctx: DeploymentContext, deployment: Deployment, { metadata }: ReplicaSet): Promise<void> {
  const { name = "", uid } = metadata ?? {};
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  const deleted = replicaSetsIn(ctx, deployment).delete(name, { ...preconditions, signal: ctx.signal });
  await unlessNotFound(deleted, replicaSets, name);
}

async function rollBack(
  ctx: DeploymentContext,
  { deployment, type, reason, message }: NonNullable<DeploymentPlan["rollback"]>,
): Promise<void> {
  const { client, events, signal } = ctx;
  // A rejected rollback is recorded before the write, a successful one after it.
  if (type === "Warning") events.record(deployment, { type, reason, message }, deployments);
  await client.resource(deployments, deployment.metadata?.namespace).update(deployment, { signal });
  if (type === "Normal") events.record(deployment, { type, reason, message }, deployments);
}

function recordScaled(events: EventRecorder, deployment: Deployment, replicaSet: ReplicaSet, from: number): void {
  const to = wantedOf(replicaSet);
  if (to === from) return;
  const message = `Scaled ${to > from ? "up" : "down"} replica set ${replicaSet.metadata?.name} from ${from} to ${to}`;
  events.record(deployment, { type: "Normal", reason: "ScalingReplicaSet", message }, deployments);
}

const replicaSetsIn = ({ client }: DeploymentContext, { metadata }: Deployment) => client.resource(replicaSets, metadata?.namespace);

const writeStatus = ({ client, signal }: DeploymentContext, deployment: Deployment): Promise<Deployment> =>
  client.resource(deployments, deployment.metadata?.namespace).updateStatus(deployment, { signal });
