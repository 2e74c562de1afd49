/**
 * Pods that may run for so long only.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#lifecycle
 */
import type { coreV1 } from "@coxswain/api";
import { millisOf } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";

/** Milliseconds since the epoch; undefined without a deadline, or before it runs. */
export function deadlineOf({ spec }: Pod, { startTime }: coreV1.PodStatus): number | undefined {
  const seconds = spec?.activeDeadlineSeconds;
  const startedAt = millisOf(startTime);
  return seconds === undefined || startedAt === undefined ? undefined : startedAt + Number(seconds) * 1000;
}

export const deadlineExceeded = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
} as const;

export function pastDeadline(pod: Pod, reported: coreV1.PodStatus, now: number): typeof deadlineExceeded | undefined {
  const deadline = deadlineOf(pod, reported);
  return deadline !== undefined && now >= deadline ? deadlineExceeded : undefined;
}
