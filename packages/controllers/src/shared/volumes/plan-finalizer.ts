/** What becomes of a finalizer that protects an object in use from deletion. */

export interface ProtectedObject {
  readonly isBeingDeleted: boolean;
  readonly isUsed: boolean;
}

/**
 * `add`: the object keeps the finalizer as long as it is not deleted; `remove`: it is deleted and not used; `keep`: it is
 * deleted and still used.
 */
export type FinalizerPlan = "add" | "remove" | "keep";

export function planFinalizer({ isBeingDeleted, isUsed }: ProtectedObject): FinalizerPlan {
  if (!isBeingDeleted) return "add";
  return isUsed ? "keep" : "remove";
}
