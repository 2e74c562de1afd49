import { messageOf } from "@coxswain/machinery";
import type { CycleState } from "../framework/cycle-state.ts";
import type { NodeToStatus, PostFilterResult, PostFilterStatus } from "../framework/plugin.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { statusMessage } from "./diagnosis.ts";
import type { Profile } from "./profile.ts";

export interface PostFilterOutcome {
  /** Empty: the nomination is void; undefined: it stands as it is. */
  readonly nominatedNode: string | undefined;
  readonly message: string;
}

/** The first plugin that makes room, or that knows that none can be made, has the last word. */
export async function runPostFilterPlugins(
  profile: Profile,
  { state, pod, statuses }: { readonly state: CycleState; readonly pod: PodInfo; readonly statuses: NodeToStatus },
  signal: AbortSignal,
): Promise<PostFilterOutcome> {
  const reasons: string[] = [];
  let nominatedNode: string | undefined;
  for (const plugin of profile.postFilter) {
    let said: PostFilterResult | PostFilterStatus | undefined;
    try {
      said = await plugin.postFilter?.(state, pod, statuses, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { nominatedNode: undefined, message: messageOf(error) };
    }
    if (said === undefined) continue;
    if ("node" in said) return { nominatedNode: said.node, message: "" };
    const voided = said.clearsNomination === true ? "" : undefined;
    if (said.code === "Error") return { nominatedNode: undefined, message: statusMessage(said) };
    if (said.code === "UnschedulableAndUnresolvable") return { nominatedNode: voided, message: statusMessage(said) };
    reasons.push(...said.reasons);
    nominatedNode = voided ?? nominatedNode;
  }
  return { nominatedNode, message: reasons.join(", ") };
}
