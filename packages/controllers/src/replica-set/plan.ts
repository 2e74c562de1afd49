/** How many Pods to create, or which to delete. */
import { inDeletionOrder } from "../shared/pods/deletion-order.ts";
import type { Pod } from "../shared/pods/pod-state.ts";

export type ReplicasPlan =
  | { readonly do: "nothing" }
  | { readonly do: "create"; readonly count: number }
  | { readonly do: "delete"; readonly pods: readonly Pod[] };

export interface ObservedReplicas {
  /** Then no Pod is created or deleted. */
  readonly isBeingDeleted: boolean;
  readonly wanted: number;
  /** Those that it controls, that run or will. */
  readonly active: readonly Pod[];
  /** Pods that it controls and that are being deleted; undefined where the status has no field for them. */
  readonly terminating: readonly Pod[] | undefined;
  /** All Pods of its owner's generations, its own too; read only where there is a choice. */
  readonly related: () => readonly Pod[];
  readonly nowMs: number;
}

/** At most so many at a time; the rest follows once the caches show these. */
export const burst = 500;

export function plan({ isBeingDeleted, wanted, active, related, nowMs }: ObservedReplicas): ReplicasPlan {
  if (isBeingDeleted) return { do: "nothing" };
  const surplus = active.length - wanted;
  if (surplus === 0) return { do: "nothing" };
  if (surplus < 0) return { do: "create", count: Math.min(-surplus, burst) };
  const count = Math.min(surplus, burst);
  const order = count === active.length ? active : inDeletionOrder(active, { related: related(), nowMs });
  return { do: "delete", pods: order.slice(0, count) };
}
