/** The status of an autoscaler: its conditions, and when it differs from the one before. */
import { wireTime } from "@coxswain/machinery";
import type { HpaCondition, HpaStatus } from "./hpa-types.ts";

export interface ConditionChange {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited";
  readonly holds: boolean;
  readonly reason: string;
  readonly message: string;
}

/** In the place of the one of its type. The transition time stays as long as the condition's status does. */
export function withCondition(status: HpaStatus, { type, holds, reason, message }: ConditionChange, nowMs: number): HpaStatus {
  const list = status.conditions ?? [];
  const at = list.findIndex((one) => one.type === type);
  const before = list[at];
  const value = holds ? "True" : "False";
  const since = before?.status === value ? before.lastTransitionTime : wireTime(nowMs);
  const next: HpaCondition = { type, status: value, reason, message, ...(since === undefined ? {} : { lastTransitionTime: since }) };
  return { ...status, conditions: before === undefined ? [...list, next] : list.with(at, next) };
}

/** No metrics, an empty list of them and null are the same. */
export function comparableStatus(status: HpaStatus | undefined): unknown {
  const { currentMetrics, ...rest } = status ?? { desiredReplicas: 0 };
  return currentMetrics === undefined || currentMetrics === null || currentMetrics.length === 0 ? rest : { ...rest, currentMetrics };
}
