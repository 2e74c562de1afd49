/** Pods that were said to be on their way out, and are not. */

import { millisOf, wireTime } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import { isPodTerminal, podCondition } from "../shared/pods/pod-state.ts";

const staleAfterMs = 120_000;

/** In how many milliseconds nobody need believe it any more; undefined for a Pod of which it is not said, or rightly. */
export function staleDisruptionMs(pod: Pod, nowMs: number): number | undefined {
  const condition = podCondition(pod, "DisruptionTarget");
  if (condition?.status !== "True" || pod.metadata?.deletionTimestamp !== undefined || isPodTerminal(pod)) return undefined;
  // The kubelet ends a Pod itself, in its own time.
  if (condition.reason === "TerminationByKubelet") return undefined;
  return Math.max(0, (millisOf(condition.lastTransitionTime) ?? 0) + staleAfterMs - nowMs);
}

export function withoutDisruption(pod: Pod, nowMs: number): Pod {
  const conditions = (pod.status?.conditions ?? []).map((condition) =>
    condition.type === "DisruptionTarget" ? { type: condition.type, status: "False", lastTransitionTime: wireTime(nowMs) } : condition,
  );
  return { ...pod, status: { ...pod.status, conditions } };
}
