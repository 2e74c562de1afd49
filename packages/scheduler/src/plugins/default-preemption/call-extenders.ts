import { messageOf } from "@coxswain/machinery";
import type { Victims } from "../../framework/extender.ts";
import type { Handle } from "../../framework/handle.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { errorStatus, type Status } from "../../framework/status.ts";

/** What extenders leave of the candidates for making room, one after the other. */
export async function callExtenders(
  handle: Pick<Handle, "extenders" | "snapshot">,
  pod: PodInfo,
  candidates: ReadonlyMap<string, Victims>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Victims> | Status> {
  let left = candidates;
  for (const extender of handle.extenders) {
    if (left.size === 0) break;
    if (!extender.does.preempt || !extender.isInterested(pod)) continue;
    try {
      const answer = await extender.preempt(pod, left, handle.snapshot(), signal);
      const empty = [...answer].filter(([, { pods }]) => pods.length === 0);
      if (empty[0] !== undefined && !extender.ignorable)
        return errorStatus(`preemption: expected at least one victim pod on node ${JSON.stringify(empty[0][0])}`);
      for (const [node] of empty) answer.delete(node);
      left = answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!extender.ignorable) return errorStatus(`preemption: ${messageOf(error)}`);
    }
  }
  return left;
}
