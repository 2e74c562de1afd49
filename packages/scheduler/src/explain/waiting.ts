import { wireTime } from "@coxswain/machinery";
import type { WaitingPod } from "../queue/waiting-pod.ts";
import type { WaitingExplanation } from "./explanation.ts";

export function explainWaiting(waiting: WaitingPod | undefined): WaitingExplanation | undefined {
  if (waiting === undefined || waiting.place === "nowhere") return undefined;
  const { place, gatedBy, queuedAt, attempts, refusedBy, pendingOn, backoffUntil } = waiting;
  const pauses = place === "backoff" || place === "errorBackoff";
  return {
    queue: gatedBy !== undefined ? "gated" : place === "errorBackoff" ? "backoff" : place,
    since: wireTime(queuedAt),
    attempts,
    refusedBy: [...new Set([...refusedBy, ...pendingOn])],
    ...(pauses && backoffUntil !== undefined ? { backoffUntil: wireTime(backoffUntil) } : {}),
  };
}
