import type { KubeObject } from "@coxswain/machinery";
import { wholeSeconds } from "../../../registry/metadata.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Sets one of a Pod's conditions in place; the time moves only when the status does. */
export function setCondition(pod: KubeObject, condition: Condition, now: number): void {
  const status = (pod.status ?? {}) as { conditions?: (Condition & { lastTransitionTime?: string })[] };
  const conditions = status.conditions ?? [];
  const at = conditions.findIndex(({ type }) => type === condition.type);
  const before = conditions[at];
  const since = before?.status === condition.status ? before.lastTransitionTime : undefined;
  const next = { ...condition, lastProbeTime: null, lastTransitionTime: since ?? wholeSeconds(now) };
  pod.status = { ...status, conditions: at < 0 ? [...conditions, next] : conditions.with(at, next) };
}
