/** Which Pods' figures count, and what the others are taken for. */

import { millisOf } from "@coxswain/machinery";
import { type Pod, podCondition } from "../shared/pods/pod-state.ts";
import { defaults } from "./hpa-types.ts";

/** Of one Pod. */
export interface PodMetric {
  /** Thousandths. */
  readonly value: number;
  /** Milliseconds since the epoch: the end of the time that was looked at. */
  readonly at: number;
  readonly windowMs: number;
}

/** By the Pod's name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

export interface PodGroups {
  readonly ready: number;
  /** Pending, or too young for their use of CPU to mean anything. */
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  /** Failed, or on their way out. */
  readonly ignored: readonly string[];
}

export function groupPods(pods: readonly Pod[], metrics: PodMetrics, resource: string | undefined, nowMs: number): PodGroups {
  const unready: string[] = [];
  const missing: string[] = [];
  const ignored: string[] = [];
  let ready = 0;
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata ?? {};
    const metric = metrics.get(name);
    if (deletionTimestamp !== undefined || pod.status?.phase === "Failed") ignored.push(name);
    else if (pod.status?.phase === "Pending") unready.push(name);
    else if (metric === undefined) missing.push(name);
    else if (resource === "cpu" && isTooYoung(pod, metric, nowMs)) unready.push(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };
}

function isTooYoung(pod: Pod, { at, windowMs }: PodMetric, nowMs: number): boolean {
  const condition = podCondition(pod, "Ready");
  const startedAt = millisOf(pod.status?.startTime);
  if (condition === undefined || startedAt === undefined) return true;
  const isUnready = condition.status === "False";
  const since = millisOf(condition.lastTransitionTime) ?? 0;
  if (startedAt + defaults.cpuInitializationMs > nowMs) return isUnready || at < since + windowMs;
  return isUnready && startedAt + defaults.initialReadinessDelayMs > since;
}
