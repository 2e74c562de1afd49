import type { CycleState } from "../framework/cycle-state.ts";
import type { NodeVerdicts, Nomination, PostFilterVerdict } from "../framework/plugin.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { Profile } from "../profile/profile.ts";
import { messageOf } from "./diagnosis.ts";

export interface PostFilterResult {
  /** Empty: the nomination is void; undefined: it stands as it is. */
  readonly nominatedNode: string | undefined;
  readonly message: string;
}

/** The first plugin that makes room, or that knows that none can be made, has the last word. */
export async function runPostFilter(
  profile: Profile,
  { state, pod, verdicts }: { readonly state: CycleState; readonly pod: PodInfo; readonly verdicts: NodeVerdicts },
  signal: AbortSignal,
): Promise<PostFilterResult> {
  const reasons: string[] = [];
  let nominatedNode: string | undefined;
  for (const plugin of profile.postFilter) {
    let said: Nomination | PostFilterVerdict | undefined;
    try {
      said = await plugin.postFilter?.(state, pod, verdicts, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { nominatedNode: undefined, message: error instanceof Error ? error.message : String(error) };
    }
    if (said === undefined) continue;
    if ("node" in said) return { nominatedNode: said.node, message: "" };
    const voided = said.clearsNomination === true ? "" : undefined;
    if (said.kind === "error") return { nominatedNode: undefined, message: messageOf(said) };
    if (said.kind === "unresolvable") return { nominatedNode: voided, message: messageOf(said) };
    reasons.push(...said.reasons);
    nominatedNode = voided ?? nominatedNode;
  }
  return { nominatedNode, message: reasons.join(", ") };
}
