/**
 * The rollback of the API's first versions, which an annotation asks for to this day. `kubectl rollout undo` needs none of
 * this: it writes the old template itself.
 */
import { goQuote } from "@coxswain/machinery";
import { int64In, lastRevision, revisionOf, rollbackAnnotation, rolledBack } from "./annotations.ts";
import { allOf, type Deployment, hasTemplate, type ReplicaSet, type Rollout, withoutHash } from "./rollout.ts";

export interface Rollback {
  /** As it is to be written. */
  readonly deployment: Deployment;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The revision asked for, 0 for the one before; undefined when none is. */
export const rollbackAskedFor = ({ metadata }: Deployment): bigint | undefined =>
  int64In(metadata?.annotations?.[rollbackAnnotation] ?? "");

/** Whatever comes of it, it is asked for no longer. */
export function planRollback(rollout: Rollout, revision: bigint): Rollback {
  const { deployment } = rollout;
  const name = goQuote(deployment.metadata?.name ?? "");
  const target = revision === 0n ? lastRevision(allOf(rollout)) : revision;
  const missing = (message: string): Rollback => ({
    ...warning("DeploymentRollbackRevisionNotFound", message),
    deployment: cleared(deployment),
  });
  if (target === 0n) return missing("Unable to find last revision.");
  const replicaSet = allOf(rollout).find((one) => revisionOf(one) === target);
  if (replicaSet === undefined) return missing("Unable to find the revision to rollback to.");
  if (hasTemplate(deployment, replicaSet.spec?.template)) {
    const message = `The rollback revision contains the same template as current deployment ${name}`;
    return { ...warning("DeploymentRollbackTemplateUnchanged", message), deployment: cleared(deployment) };
  }
  const message = `Rolled back deployment ${name} to revision ${target}`;
  return { type: "Normal", reason: "DeploymentRollback", message, deployment: cleared(asIn(deployment, replicaSet)) };
}

const warning = (reason: string, message: string) => ({ type: "Warning", reason, message }) as const;

function asIn(deployment: Deployment, replicaSet: ReplicaSet): Deployment {
  const { metadata, spec } = deployment;
  return {
    ...deployment,
    metadata: { ...metadata, annotations: { ...rolledBack(metadata?.annotations ?? {}, replicaSet) } },
    ...(spec === undefined ? {} : { spec: { ...spec, template: withoutHash(replicaSet.spec?.template) } }),
  };
}

function cleared(deployment: Deployment): Deployment {
  const { [rollbackAnnotation]: _, ...annotations } = deployment.metadata?.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}
