/** How many Pods to create, or which to delete. */
import { inDeletionOrder } from "../shared/pods/deletion-order.ts";
import type { Pod } from "../shared/pods/pod-state.ts";

export type ReplicasPlan =
  | { readonly do: "nothing" }
  | { readonly do: "create"; readonly count: number }
  | { readonly do: "delete"; readonly pods: readonly Pod[] };

export interface ObservedReplicas {
  readonly wanted: number;
  /** Its own, that run or will. */
  readonly active: readonly Pod[];
  /** All Pods of its owner's generations, its own too; asked for only where there is a choice. */
  readonly related: () => readonly Pod[];
  readonly nowMs: number;
}

/** So many at a time; the rest follows once the caches show these. */
export const burst = 500;

export function planReplicas({ wanted, active, related, nowMs }: ObservedReplicas): ReplicasPlan {
  const surplus = active.length - wanted;
  if (surplus === 0) return { do: "nothing" };
  if (surplus < 0) return { do: "create", count: Math.min(-surplus, burst) };
  const count = Math.min(surplus, burst);
  const order = count === active.length ? active : inDeletionOrder(active, { related: related(), nowMs });
  return { do: "delete", pods: order.slice(0, count) };
}
