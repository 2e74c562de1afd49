/**
 * Conditions: what a controller says of an object in its status, each an observation of its own with the time since when.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
import { type Clock, type KubeObject, wireTime } from "@coxswain/machinery";
import type { metaV1 } from "@coxswain/types";

/**
 * A condition as it stands in `status.conditions`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/definitions/condition-v1-meta/
 */
export type Condition = metaV1.Condition;

/** A condition as a controller states it; `withCondition` adds the time of the transition. */
export interface NewCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** Why, in one CamelCase word that machines may look for. */
  readonly reason: string;
  /** For people. */
  readonly message?: string;
  /** The `metadata.generation` that was looked at. */
  readonly observedGeneration?: number | undefined;
}

/** In the place of the one of its type. Only a new `status` counts as a transition; the time stays with anything else. */
export function withCondition(conditions: readonly Condition[] | undefined, next: NewCondition, clock: Pick<Clock, "now">): Condition[] {
  const { observedGeneration, message = "", ...rest } = next;
  const before = conditions?.find(({ type }) => type === next.type);
  const condition: Condition = {
    ...rest,
    message,
    lastTransitionTime: before?.status === next.status ? before.lastTransitionTime : wireTime(clock.now()),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
  const others = [...(conditions ?? [])];
  return before === undefined ? [...others, condition] : others.with(others.indexOf(before), condition);
}

/** Finds the condition of this type in the object's status; undefined when there is none. */
export const conditionOf = (object: KubeObject, type: string): Condition | undefined =>
  (object.status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions?.find((one) => one.type === type);

/** Says so of the object as it is now, and not of how it was before its last change. */
export function isConditionTrue(object: KubeObject, type: string): boolean {
  const { status, observedGeneration } = conditionOf(object, type) ?? {};
  return status === "True" && (observedGeneration === undefined || observedGeneration >= (object.metadata?.generation ?? 0));
}
