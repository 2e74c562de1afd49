import type { ObjectMeta, OwnerReference } from "@coxswain/machinery";

/**
 * Drops owner references that repeat an earlier one exactly, in place. Returns the text of the warning that the client
 * gets; `when` says whether the client sent them or an admission plug-in made them (a patch counts as the latter).
 */
export function dropDuplicateOwners(meta: ObjectMeta, when: "sent" | "admitted"): string | undefined {
  const { ownerReferences = [] } = meta;
  if (ownerReferences.length < 2) return undefined;
  const kept = new Map<string, OwnerReference>();
  const dropped: string[] = [];
  for (const reference of ownerReferences) {
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
    const key = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
    if (kept.has(key)) dropped.push(uid);
    else kept.set(key, reference);
  }
  if (dropped.length === 0) return undefined;
  meta.ownerReferences = [...kept.values()];
  const after = when === "sent" ? "" : " after mutating admission happens";
  const advice = "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests";
  return `.metadata.ownerReferences contains duplicate entries${after}; ${advice}; duplicate UID(s) observed: ${dropped.join(", ")}`;
}
