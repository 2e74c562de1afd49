/** When a Namespace that is being deleted is emptied, and what follows a pass over its content. */
import type { api } from "@coxswain/client";
import { millisOf } from "@coxswain/machinery";
import type { Pass } from "./delete-content.ts";

export type Namespace = api.coreV1.Namespace;

export interface ObservedNamespace {
  readonly namespace: Namespace;
  readonly nowMs: number;
}

export type NamespacePlan = { readonly do: "nothing" } | { readonly do: "wait"; readonly afterMs: number } | { readonly do: "empty" };

/** Other API servers have to see the deletion first, and to reject what would still be created. */
const quietMs = 5_000;

export function plan({ namespace: { metadata }, nowMs }: ObservedNamespace): NamespacePlan {
  if (metadata?.deletionTimestamp === undefined) return { do: "nothing" };
  const sinceMs = nowMs - (millisOf(metadata.deletionTimestamp) ?? 0);
  return sinceMs < quietMs ? { do: "wait", afterMs: Math.min(quietMs, quietMs - sinceMs) } : { do: "empty" };
}

export type PassPlan =
  | { readonly do: "fail"; readonly error: Error }
  | { readonly do: "wait"; readonly afterMs: number }
  | { readonly do: "finalize" };

/** What could not be deleted fails the reconcile; what is being deleted is waited for; an empty Namespace is let go. */
export function planAfterPass({ discovery, failures, estimateSeconds }: Pass): PassPlan {
  const errors = [...(discovery === undefined ? [] : [discovery.error]), ...failures];
  const [first] = errors;
  if (first !== undefined) {
    const error = errors.length === 1 ? first : new AggregateError(errors, errors.map(({ message }) => message).join(", "));
    return { do: "fail", error };
  }
  return estimateSeconds > 0 ? { do: "wait", afterMs: (Math.floor(estimateSeconds / 2) + 1) * 1000 } : { do: "finalize" };
}
