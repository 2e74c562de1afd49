/** What a StatefulSet's plan and status are made of. */
import type { coreV1 } from "@coxswain/api";
import { isPodAvailable, type Pod } from "../shared/pods/pod-state.ts";
import type { ControllerRevision } from "../shared/revisions/revision-data.ts";
import type { StatefulSet, VolumeClaim } from "./identity.ts";

export interface Revision {
  readonly name: string;
  readonly template: coreV1.PodTemplateSpec;
}

export interface Revisions {
  /** Of the Pods below the partition, and of all until the rollout of another is complete. */
  readonly current: Revision;
  readonly update: Revision;
  /** How many names of revisions were taken. */
  readonly collisionCount: number;
}

export interface ObservedSet {
  readonly set: StatefulSet;
  readonly revisions: Revisions;
  /** Its own, whatever their ordinals. */
  readonly pods: readonly Pod[];
  /** As far as the cache shows. */
  readonly claimNamed: (name: string) => VolumeClaim | undefined;
  /** All its revisions, the oldest first. */
  readonly history: readonly ControllerRevision[];
  readonly nowMs: number;
}

/** One Pod at a time, in order, unless podManagementPolicy is Parallel. */
export const isOrdered = ({ spec }: StatefulSet): boolean => spec?.podManagementPolicy !== "Parallel";

export const isBeingDeleted = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;

/** The server has it, as opposed to one that is only planned. */
export const isCreated = ({ status }: Pod): boolean => (status?.phase ?? "") !== "";

export const isAvailableIn = ({ set, nowMs }: ObservedSet, pod: Pod): boolean => isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs);

export const isUnavailableIn = (observed: ObservedSet, pod: Pod): boolean => isBeingDeleted(pod) || !isAvailableIn(observed, pod);
