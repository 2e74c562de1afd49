import type { KubeObject } from "@coxswain/client";

/** Keeps of an object's metadata identity, owners and deletion: all that an informer of every resource has to hold. Changes the object in place. */
export function onlyOwnership<T extends KubeObject>(object: T): T {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences, finalizers } = object.metadata ?? {};
  const fields = { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences, finalizers };
  object.metadata = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return object;
}
