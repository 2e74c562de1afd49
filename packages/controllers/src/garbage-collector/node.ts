/** An object as the garbage collector knows it: who it is, whose it is, and what becomes of it. */
import type { KubeObject, ObjectMeta, OwnerReference, ResourceRef } from "@coxswain/client";
import { apiVersionOf } from "@coxswain/machinery";

export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

export interface Node {
  readonly ref: ResourceRef;
  readonly uid: string;
  readonly name: string;
  /** Empty for what is in none. */
  readonly namespace: string;
  readonly owners: readonly OwnerReference[];
  readonly deletionState: DeletionState;
}

/** `foreground`: it waits until its dependents have gone; `orphan`: until they do not name it any more; `going`: for something else. */
export type DeletionState = "live" | "going" | "foreground" | "orphan";

/** Undefined for what has no uid: nothing can refer to it. */
export function nodeOf(ref: ResourceRef, { metadata = {} }: KubeObject): Node | undefined {
  const { uid, name = "", namespace = "", ownerReferences = [] } = metadata;
  return uid === undefined ? undefined : { ref, uid, name, namespace, owners: ownerReferences, deletionState: deletionStateOf(metadata) };
}

export function deletionStateOf({ deletionTimestamp, finalizers = [] }: ObjectMeta): DeletionState {
  if (deletionTimestamp === undefined) return "live";
  if (finalizers.includes(orphanFinalizer)) return "orphan";
  return finalizers.includes(foregroundFinalizer) ? "foreground" : "going";
}

/** Names an owner: a uid alone does not say where to look for it. */
export interface Coordinates {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export const coordinatesOf = ({ ref, namespace, name, uid }: Node): Coordinates => ({
  apiVersion: apiVersionOf(ref),
  kind: ref.kind,
  namespace,
  name,
  uid,
});

/** Whether the reference of an object in this namespace is to this very object, by all that it says. */
export function refersTo(reference: OwnerReference, namespace: string, owner: Node): boolean {
  if (reference.uid !== owner.uid || reference.name !== owner.name || reference.kind !== owner.ref.kind) return false;
  return reference.apiVersion === apiVersionOf(owner.ref) && !isElsewhere(owner, namespace);
}

/** What is in a namespace owns only what is in the same one. */
export const isElsewhere = (owner: Node, namespace: string): boolean => owner.namespace !== "" && owner.namespace !== namespace;
