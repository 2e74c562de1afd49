/**
 * Who owns the claims of a StatefulSet's Pods, so that the garbage collector deletes them as the retention policy says:
 * with the set, with the Pod that is scaled down, or never.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention
 */
import { pods, type ResourceRef, statefulSets } from "@coxswain/client";
import { apiVersionOf, type KubeObject, type OwnerReference } from "@coxswain/machinery";
import { controllerReference } from "../shared/pods/claim.ts";
import type { Pod } from "../shared/pods/pod-state.ts";
import { isInRange, type StatefulSet, type VolumeClaim } from "./identity.ts";

/** Whether there is nothing to change; true also where the claim is in a state that is better left alone. */
export function ownersAreRight(claim: VolumeClaim, set: StatefulSet, pod: Pod): boolean {
  if (hasStaleOwner(claim, set, statefulSets) || hasStaleOwner(claim, pod, pods)) return true;
  const bySet = isOwnedBy(claim, set);
  const byPod = isOwnedBy(claim, pod);
  // What another controller owns only loses its references to the set and the Pod.
  if (hasOtherController(claim, set, pod)) return !bySet && !byPod;
  if (refsOf(claim).some(({ uid, controller }) => isOneOf(uid, set, pod) && controller !== true)) return false;
  const wanted = wantedOwners(set, pod);
  return bySet === wanted.set && byPod === wanted.pod;
}

/** The references as they should be. */
export function rightOwners(claim: VolumeClaim, set: StatefulSet, pod: Pod): OwnerReference[] {
  const others = refsOf(claim).filter((ref) => !names(ref, set, statefulSets) && !names(ref, pod, pods));
  if (hasOtherController(claim, set, pod)) return others;
  const wanted = wantedOwners(set, pod);
  return [
    ...others,
    ...(wanted.pod ? [controllerReference(pod, pods)] : []),
    ...(wanted.set ? [controllerReference(set, statefulSets)] : []),
  ];
}

/** A policy is set, and another controller owns the claim: perhaps another of the same name. */
export function hasOtherController(claim: VolumeClaim, set: StatefulSet, pod: Pod): boolean {
  const { whenDeleted, whenScaled } = policyOf(set);
  if (whenDeleted === "Retain" && whenScaled === "Retain") return false;
  return refsOf(claim).some((ref) => {
    if (names(ref, set, statefulSets)) return ref.uid !== set.metadata?.uid;
    if (names(ref, pod, pods)) return ref.uid !== pod.metadata?.uid;
    return ref.controller === true;
  });
}

/** A claim that goes with the last Pod of this name must be gone before there is another. */
export const isStale = (claim: VolumeClaim, set: StatefulSet, pod: Pod): boolean =>
  policyOf(set).whenScaled !== "Retain" && hasStaleOwner(claim, pod, pods);

const policyOf = ({ spec }: StatefulSet): { readonly whenDeleted: string; readonly whenScaled: string } => {
  const { whenDeleted = "Retain", whenScaled = "Retain" } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return { whenDeleted, whenScaled };
};

function wantedOwners(set: StatefulSet, pod: Pod): { readonly set: boolean; readonly pod: boolean } {
  const { whenDeleted, whenScaled } = policyOf(set);
  const isCondemned = whenScaled === "Delete" && !isInRange(set, pod);
  return { pod: isCondemned, set: whenDeleted === "Delete" && !isCondemned };
}

const refsOf = ({ metadata }: VolumeClaim): readonly OwnerReference[] => metadata?.ownerReferences ?? [];

const names = (ref: OwnerReference, owner: KubeObject, kind: ResourceRef): boolean =>
  ref.apiVersion === apiVersionOf(kind) && ref.kind === kind.kind && ref.name === owner.metadata?.name;

const isOneOf = (uid: string, ...owners: readonly KubeObject[]): boolean => owners.some(({ metadata }) => metadata?.uid === uid);

const isOwnedBy = (claim: VolumeClaim, owner: KubeObject): boolean => refsOf(claim).some(({ uid }) => isOneOf(uid, owner));

function hasStaleOwner(claim: VolumeClaim, owner: KubeObject, kind: ResourceRef): boolean {
  const ref = refsOf(claim).find((one) => names(one, owner, kind));
  return ref !== undefined && ref.uid !== owner.metadata?.uid;
}
