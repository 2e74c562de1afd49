import type { coreV1 } from "@coxswain/api";

/** How long the slowest of these Pods may take to end; 0 when more than that has passed. Seconds. */
export function graceSeconds(pods: readonly coreV1.Pod[], passedMs: number): number {
  const alive = pods.filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed");
  const longest = Math.max(0, ...alive.map(({ spec }) => spec?.terminationGracePeriodSeconds ?? 0));
  return passedMs >= longest * 1000 ? 0 : longest;
}
