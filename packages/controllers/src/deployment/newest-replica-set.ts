/** The ReplicaSet of a Deployment's template: found and brought up to date, or made. */
import type { metaV1 } from "@coxswain/api";
import { deployments } from "@coxswain/client";
import { deepEqual, goQuote, maxSubdomainLength } from "@coxswain/machinery";
import { controllerReference } from "../shared/pods/claim.ts";
import { templateHash } from "../shared/pods/template-hash.ts";
import { nextRevision, revisionAnnotation, withReplicas, withRevision } from "./annotations.ts";
import { conditionIn, hasDeadline, withCondition } from "./conditions.ts";
import { grownSize } from "./rolling-update.ts";
import { type Deployment, type ReplicaSet, type Rollout, templateHashLabel } from "./rollout.ts";
import type { Step } from "./steps.ts";

export interface Synced {
  /** With the revision of its newest ReplicaSet, and a word about it among its conditions. */
  readonly deployment: Deployment;
  readonly steps: readonly Step[];
}

/** With `create`, it is made where there is none. */
export function syncNewest(rollout: Rollout, { create, nowMs }: { readonly create: boolean; readonly nowMs: number }): Synced {
  const { deployment, newest, old } = rollout;
  const revision = nextRevision(old);
  if (newest !== undefined) return syncFound(deployment, newest, revision, nowMs);
  if (!create) return { deployment, steps: [] };
  const replicaSet = replicaSetFor(rollout, revision);
  const message = `Created new replica set ${goQuote(replicaSet.metadata?.name ?? "")}`;
  const progressed = hasDeadline(deployment) ? progressing(deployment, "NewReplicaSetCreated", message, nowMs) : deployment;
  return { deployment: withAnnotation(progressed, String(revision)), steps: [{ do: "create", replicaSet }] };
}

function syncFound(deployment: Deployment, newest: ReplicaSet, revision: bigint, nowMs: number): Synced {
  const before = newest.metadata?.annotations ?? {};
  const annotations = withRevision(before, deployment, revision);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  const isCurrent = deepEqual(annotations, before) && (newest.spec?.minReadySeconds ?? 0) === minReadySeconds;
  const replicaSet = isCurrent ? newest : brought(newest, annotations, minReadySeconds);
  const noted = withAnnotation(deployment, annotations[revisionAnnotation]);
  // progressDeadlineSeconds was set in the middle of a rollout.
  const hasProgress = !hasDeadline(deployment) || conditionIn(deployment, "Progressing") !== undefined;
  const message = `Found new replica set ${goQuote(newest.metadata?.name ?? "")}`;
  return {
    deployment: hasProgress ? noted : progressing(noted, "FoundNewReplicaSet", message, nowMs),
    steps: isCurrent ? [] : [{ do: "update", replicaSet, from: newest }],
  };
}

function brought(newest: ReplicaSet, annotations: Readonly<Record<string, string>>, minReadySeconds: number): ReplicaSet {
  const { metadata, spec } = newest;
  return {
    ...newest,
    metadata: { ...metadata, annotations: { ...annotations } },
    ...(spec === undefined ? {} : { spec: { ...spec, minReadySeconds } }),
  };
}

/** Its name follows from the template, so that whoever makes it twice makes it once. */
function replicaSetFor(rollout: Rollout, revision: bigint): ReplicaSet {
  const { deployment } = rollout;
  const { metadata: { name = "", namespace } = {}, spec, status } = deployment;
  const hash = templateHash(spec?.template ?? {}, status?.collisionCount);
  const labels = { ...spec?.template.metadata?.labels, [templateHashLabel]: hash };
  const annotations = { ...withReplicas(withRevision({}, deployment, revision), deployment) };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${name.slice(0, maxSubdomainLength - 1 - hash.length)}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations,
      ownerReferences: [controllerReference(deployment, deployments)],
    },
    spec: {
      replicas: grownSize(rollout),
      ...(spec?.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: withHash(spec?.selector, hash),
      template: { ...spec?.template, metadata: { ...spec?.template.metadata, labels } },
    },
  };
}

const withHash = (selector: metaV1.LabelSelector = {}, hash: string): metaV1.LabelSelector => ({
  ...selector,
  matchLabels: { ...selector.matchLabels, [templateHashLabel]: hash },
});

function withAnnotation(deployment: Deployment, revision: string | undefined): Deployment {
  const { metadata } = deployment;
  if (revision === undefined || metadata?.annotations?.[revisionAnnotation] === revision) return deployment;
  return { ...deployment, metadata: { ...metadata, annotations: { ...metadata?.annotations, [revisionAnnotation]: revision } } };
}

const progressing = (deployment: Deployment, reason: string, message: string, nowMs: number): Deployment =>
  withCondition(deployment, { type: "Progressing", status: "True", reason, message }, nowMs);
