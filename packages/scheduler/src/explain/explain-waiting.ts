import { wireTime } from "@coxswain/machinery";
import type { QueuedPod } from "../queue/queued-pod.ts";
import type { WaitingExplanation } from "./explanation.ts";

export function explainWaiting(queued: QueuedPod | undefined): WaitingExplanation | undefined {
  if (queued === undefined || queued.queue === "none") return undefined;
  const {
    queue,
    gatingPlugin: gatedBy,
    queuedAt,
    attempts,
    unschedulablePlugins: refusedBy,
    pendingPlugins: pendingOn,
    backoffExpiration: backoffUntil,
  } = queued;
  const pauses = queue === "backoff" || queue === "errorBackoff";
  return {
    queue: gatedBy !== undefined ? "gated" : queue === "errorBackoff" ? "backoff" : queue,
    since: wireTime(queuedAt),
    attempts,
    refusedBy: [...new Set([...refusedBy, ...pendingOn])],
    ...(pauses && backoffUntil !== undefined ? { backoffUntil: wireTime(backoffUntil) } : {}),
  };
}
