/** What a Pod's status says to whoever counts Pods. */
import type { coreV1 } from "@coxswain/api";
import { millisOf } from "@coxswain/machinery";

export type Pod = coreV1.Pod;

/** It has ended and no container of it will ever start again. */
export const isPodTerminal = (pod: Pod): boolean => pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";

/** It runs or will, and is not being deleted. */
export const isPodActive = (pod: Pod): boolean => !isPodTerminal(pod) && pod.metadata?.deletionTimestamp === undefined;

/** It is being deleted, and may still run. */
export const isPodTerminating = (pod: Pod): boolean => !isPodTerminal(pod) && pod.metadata?.deletionTimestamp !== undefined;

export const podCondition = (pod: Pod, type: string): coreV1.PodCondition | undefined =>
  pod.status?.conditions?.find((condition) => condition.type === type);

export const isPodReady = (pod: Pod): boolean => podCondition(pod, "Ready")?.status === "True";

/** Since when it has been ready: milliseconds since the epoch. Undefined when it is not, or has no time. */
export const readySince = (pod: Pod): number | undefined => {
  const ready = podCondition(pod, "Ready");
  return ready?.status === "True" ? millisOf(ready.lastTransitionTime) : undefined;
};

/** It has been ready for so long without a break; `nowMs` since the epoch. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= nowMs;
}

/** In how many milliseconds the next of these Pods becomes available if it stays ready; undefined when none will. */
export function nextAvailabilityMs(pods: readonly Pod[], minReadySeconds: number, nowMs: number): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  let next: number | undefined;
  for (const pod of pods) {
    const since = readySince(pod);
    if (since === undefined) continue;
    const afterMs = since + minReadySeconds * 1000 - nowMs;
    if (afterMs > 0 && (next === undefined || afterMs < next)) next = afterMs;
  }
  return next;
}
