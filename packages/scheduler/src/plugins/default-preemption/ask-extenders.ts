import type { Victims } from "../../framework/extender.ts";
import type { PluginHandle } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { failed, type Verdict } from "../../framework/verdict.ts";

/** What extenders leave of the candidates for making room, one after the other. */
export async function askExtenders(
  handle: Pick<PluginHandle, "extenders" | "snapshot">,
  pod: PodInfo,
  candidates: ReadonlyMap<string, Victims>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Victims> | Verdict> {
  let left = candidates;
  for (const extender of handle.extenders) {
    if (left.size === 0) break;
    if (!extender.does.preempt || !extender.isInterested(pod)) continue;
    try {
      const answer = await extender.preempt(pod, left, handle.snapshot(), signal);
      const empty = [...answer].filter(([, { pods }]) => pods.length === 0);
      if (empty[0] !== undefined && !extender.ignorable)
        return failed(`preemption: expected at least one victim pod on node ${JSON.stringify(empty[0][0])}`);
      for (const [node] of empty) answer.delete(node);
      left = answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!extender.ignorable) return failed(`preemption: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return left;
}
