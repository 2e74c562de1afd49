/** What becomes of an object, given what has become of its owners. */
import type { DeleteOptions, KubeObject, ObjectMeta, OwnerReference } from "@coxswain/client";
import { foregroundFinalizer, type Node, orphanFinalizer } from "./node.ts";

/**
 * `solid`: it exists; `waiting`: it exists, and waits for its dependents to go; `absent`: it does not exist, which the
 * server itself has said; `released`: neither does it, but its dependents were to stay.
 */
export type OwnerState = "solid" | "waiting" | "absent" | "released";

export interface ClassifiedOwner {
  readonly reference: OwnerReference;
  readonly state: OwnerState;
}

export type DependentPlan =
  | { readonly do: "nothing" }
  /** It keeps some owner; these it names no more. */
  | { readonly do: "disown"; readonly uids: readonly string[] }
  | {
      readonly do: "delete";
      readonly propagationPolicy: NonNullable<DeleteOptions["propagationPolicy"]>;
      /** First, its owners are not to wait for it: it is part of a circle. */
      readonly unblock: boolean;
    };

export interface ObservedDependent {
  readonly node: Node;
  /** As the server has it. */
  readonly latest: KubeObject;
  readonly owners: readonly ClassifiedOwner[];
  /** Objects that name it as an owner, as far as the watches have shown them. */
  readonly dependents: readonly Node[];
}

export const plan = ({ latest, owners, dependents }: ObservedDependent): DependentPlan =>
  planDependent(owners, latest.metadata ?? {}, dependents);

/** `meta` is the object's newest; `dependents` are those that have been seen. */
export function planDependent(owners: readonly ClassifiedOwner[], meta: ObjectMeta, dependents: readonly Node[]): DependentPlan {
  const ownersIn = (...states: readonly OwnerState[]) => owners.filter(({ state }) => states.includes(state));
  if (owners.length === 0) return { do: "nothing" };
  if (ownersIn("solid", "released").length > 0) {
    const uids = ownersIn("absent", "waiting", "released").map(({ reference }) => reference.uid);
    return uids.length === 0 ? { do: "nothing" } : { do: "disown", uids };
  }
  if (ownersIn("waiting").length > 0 && dependents.length > 0) {
    const unblock = dependents.some(({ deletionState }) => deletionState === "foreground");
    return { do: "delete", propagationPolicy: "Foreground", unblock };
  }
  return { do: "delete", propagationPolicy: policyOf(meta), unblock: false };
}

/** A propagation policy that was requested before stands. */
function policyOf({ finalizers = [] }: ObjectMeta): "Orphan" | "Foreground" | "Background" {
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}
