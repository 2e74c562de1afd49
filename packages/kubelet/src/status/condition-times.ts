/** When conditions turned, and when the Pod was first seen: kept in all later statuses. */
import type { coreV1 } from "@coxswain/api";
import { isKubeletCondition } from "./pod-conditions.ts";

type PodStatus = coreV1.PodStatus;

/** `now` as the API writes times. */
export function withTimes(status: PodStatus, reported: PodStatus, now: string): PodStatus {
  const conditions = status.conditions?.map((condition) => {
    const { type } = condition;
    if (!isKubeletCondition(type) && type !== "DisruptionTarget") return condition;
    const before = reported.conditions?.find((one) => one.type === type);
    if (type.startsWith("PodResize")) return { lastTransitionTime: now, ...condition };
    const lastTransitionTime = before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
    return { ...condition, lastTransitionTime };
  });
  return { ...status, ...(conditions === undefined ? {} : { conditions }), startTime: reported.startTime ?? now };
}
