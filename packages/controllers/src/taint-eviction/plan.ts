/** Whether a Pod is evicted from its tainted Node, and when. */
import type { coreV1 } from "@coxswain/api";
import type { Pod } from "../shared/pods/pod-state.ts";
import { toleratedSeconds } from "./tolerations.ts";

export interface ObservedPod {
  /** Undefined when it is gone. */
  readonly pod: Pod | undefined;
  /** Taints of its Node with effect NoExecute. */
  readonly taints: readonly coreV1.Taint[];
  /** When it, or another Pod of its name, was to be evicted. */
  readonly deadline: { readonly uid: string; readonly atMs: number } | undefined;
  /** By the monotonic clock, as the deadline. */
  readonly nowMs: number;
}

export type EvictionPlan =
  /** It stays. `cancels`: it was to be evicted before. */
  | { readonly do: "keep"; readonly cancels: boolean }
  | { readonly do: "wait"; readonly uid: string; readonly atMs: number; readonly afterMs: number }
  | { readonly do: "evict"; readonly uid: string; readonly atMs: number; readonly pod: Pod };

export function plan({ pod, taints, deadline, nowMs }: ObservedPod): EvictionPlan {
  const seconds =
    pod === undefined || taints.length === 0 ? Number.POSITIVE_INFINITY : toleratedSeconds(taints, pod.spec?.tolerations ?? []);
  const isBeingDeleted = pod?.metadata?.deletionTimestamp !== undefined;
  if (pod === undefined || isBeingDeleted || seconds === Number.POSITIVE_INFINITY)
    return { do: "keep", cancels: deadline !== undefined && !isBeingDeleted };
  const { uid = "" } = pod.metadata ?? {};
  const known = deadline !== undefined && deadline.uid === pod.metadata?.uid ? deadline : undefined;
  // Further taints do not restart the time of those that it tolerates for a while.
  const atMs = seconds === 0 ? nowMs : (known?.atMs ?? nowMs + seconds * 1000);
  return nowMs < atMs ? { do: "wait", uid, atMs, afterMs: atMs - nowMs } : { do: "evict", uid, atMs, pod };
}
