/** A Deployment with the ReplicaSets that are its own. */
import type { appsV1, coreV1 } from "@coxswain/api";
import { deepEqual, millisOf } from "@coxswain/machinery";

export type Deployment = appsV1.Deployment;
export type ReplicaSet = appsV1.ReplicaSet;

export interface Rollout {
  readonly deployment: Deployment;
  /** Of the Deployment's template as it is now; undefined when there is none yet. */
  readonly newest: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

export const templateHashLabel = "pod-template-hash";

export function rolloutOf(deployment: Deployment, replicaSets: readonly ReplicaSet[]): Rollout {
  // Where several have the template, which old servers could bring about, the oldest is it.
  const newest = replicaSets.toSorted(byAge).find(({ spec }) => hasTemplate(deployment, spec?.template));
  return { deployment, newest, old: replicaSets.filter((replicaSet) => replicaSet !== newest) };
}

export const allOf = ({ newest, old }: Rollout): readonly ReplicaSet[] => (newest === undefined ? old : [...old, newest]);

/** But for the hash, which only ReplicaSets have in theirs. */
export const hasTemplate = ({ spec }: Deployment, template: coreV1.PodTemplateSpec | undefined): boolean =>
  deepEqual(withoutHash(spec?.template), withoutHash(template));

export function withoutHash(template: coreV1.PodTemplateSpec | undefined): coreV1.PodTemplateSpec {
  const { [templateHashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

/** How many Pods a ReplicaSet, or a Deployment, is to have. */
export const wantedOf = ({ spec }: ReplicaSet | Deployment): number => spec?.replicas ?? 0;

export const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;

export const isActive = (replicaSet: ReplicaSet): boolean => wantedOf(replicaSet) > 0;

export const sum = (replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number | undefined): number =>
  replicaSets.reduce((total, replicaSet) => total + (count(replicaSet) ?? 0), 0);

/** Oldest first; the name decides between those of one second. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const age = (millisOf(a.metadata?.creationTimestamp) ?? 0) - (millisOf(b.metadata?.creationTimestamp) ?? 0);
  return age || ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1);
}
