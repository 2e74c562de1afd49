/** Objects without a controller: found by the owners that would adopt them, which are reconciled when one appears. */
import {
  byControllerIndex,
  type Change,
  controllerOf,
  type Indexes,
  type Lister,
  type ObjectRef,
  type ReconcileContext,
  type ResourceRef,
  type Source,
  watching,
} from "@coxswain/client";
import { deepEqual, type KubeObject, type LabelSelector } from "@coxswain/machinery";

const index = "orphans";

/** By namespace; for `ownedAndOrphans`. */
export const orphans: Indexes = {
  [index]: (object) => (controllerOf(object) === undefined ? [object.metadata?.namespace ?? ""] : []),
};

/**
 * Wakes the objects of a controller that would adopt an orphan, when it appears, loses its controller or gets
 * other labels. Beside it the controller `owns` the resource. `selectorOf` returns what an object would adopt.
 */
export const adoptable = <O extends KubeObject>(ref: ResourceRef, selectorOf: (owner: O) => LabelSelector): Source =>
  watching(
    ref,
    (object, change, { main }) =>
      mayNeedOwner(object, change) ? takers(object, main() as Lister<KubeObject> as Lister<O>, selectorOf) : [],
    {
      indexes: orphans,
    },
  );

/** What an object controls, and the orphans in its namespace. For a controller that `owns` the resource and watches `adoptable`. */
export function ownedAndOrphans<T extends KubeObject>(
  { cache, object: owner }: Pick<ReconcileContext, "cache" | "object">,
  ref: ResourceRef<T>,
): T[] {
  const lister = cache(ref);
  const { uid = "", namespace = "" } = owner?.metadata ?? {};
  return [...lister.byIndex(byControllerIndex, uid), ...lister.byIndex(index, namespace)];
}

function mayNeedOwner(object: KubeObject, change: Change): boolean {
  if (change.type === "deleted" || controllerOf(object) !== undefined) return false;
  // Of an update both states are asked for: only the new one can be adopted.
  if (change.type === "added") return true;
  if (object !== change.object) return false;
  return controllerOf(change.previous) !== undefined || !deepEqual(change.previous.metadata?.labels, object.metadata?.labels);
}

function takers<O extends KubeObject>(
  { metadata }: KubeObject,
  owners: Lister<O>,
  selectorOf: (owner: O) => LabelSelector,
): readonly ObjectRef[] {
  const { namespace, labels } = metadata ?? {};
  if (labels === undefined || namespace === undefined) return [];
  return owners.list({ namespace }).flatMap((owner) => {
    const selector = selectorOf(owner);
    return !selector.empty && selector.matches(labels) ? { namespace, name: owner.metadata?.name ?? "" } : [];
  });
}
