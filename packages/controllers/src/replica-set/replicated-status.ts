/** What the status says of the Pods. */
import type { appsV1 } from "@coxswain/api";
import { deepEqual, labelSelectorFromObject, wireTime } from "@coxswain/machinery";
import { isPodAvailable, isPodReady, type Pod } from "../shared/pods/pod-state.ts";
import type { Replicated } from "./replicated.ts";

export interface ObservedPods {
  readonly active: readonly Pod[];
  /** Undefined where the status lacks it. */
  readonly terminating: readonly Pod[] | undefined;
  /** What kept Pods from being created or deleted this time. */
  readonly failure: Error | undefined;
  readonly nowMs: number;
}

/** Undefined when nothing in it would change. */
export function nextStatus(
  { metadata, spec, status }: Replicated,
  { active, terminating, failure, nowMs }: ObservedPods,
): appsV1.ReplicaSetStatus | undefined {
  const minReadySeconds = spec?.minReadySeconds ?? 0;
  const template = labelSelectorFromObject({ matchLabels: spec?.template?.metadata?.labels ?? {} });
  const ready = active.filter(isPodReady);
  const counts = {
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => template.matches(pod.metadata?.labels)).length,
    readyReplicas: ready.length,
    // Of thousands of Pods all are looked at for each change of one.
    availableReplicas: minReadySeconds === 0 ? ready.length : ready.filter((pod) => isPodAvailable(pod, minReadySeconds, nowMs)).length,
  };
  const conditions = nextConditions(status?.conditions ?? [], failure, active.length - (spec?.replicas ?? 0), nowMs);
  const next: appsV1.ReplicaSetStatus = {
    ...withoutZeros(counts),
    replicas: counts.replicas,
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating.length }),
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(metadata?.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  };
  return deepEqual(next, status) ? undefined : next;
}

/** Absent on the wire, as all counts of zero but the first. */
const withoutZeros = <T extends Record<string, number>>(counts: T): Partial<T> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<T>;

/** A failure stays as it was first reported until there is none. */
function nextConditions(
  conditions: readonly appsV1.ReplicaSetCondition[],
  failure: Error | undefined,
  surplus: number,
  nowMs: number,
): appsV1.ReplicaSetCondition[] {
  const others = conditions.filter(({ type }) => type !== "ReplicaFailure");
  if (failure === undefined) return others;
  if (others.length < conditions.length) return [...conditions];
  const reason = surplus < 0 ? "FailedCreate" : "FailedDelete";
  const condition = { type: "ReplicaFailure", status: "True", lastTransitionTime: wireTime(nowMs), reason, message: failure.message };
  return [...others, condition];
}
