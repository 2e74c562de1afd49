/**
 * What becomes of a default role or binding that is there already: what it lacks is added, what others have added stays.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#auto-reconciliation
 */
import type { RbacBinding, RbacRole } from "@coxswain/api";
import { deepEqual } from "@coxswain/machinery";
import { missingRules } from "../authorization/rbac/covers.ts";

const autoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

type RbacObject = RbacRole | RbacBinding;

/** `recreate`: a binding to another role cannot be changed into this one. */
export type Reconciled = { readonly action: "none" } | { readonly action: "update" | "recreate"; readonly object: Readonly<RbacObject> };

export function reconcilePolicy(existing: Readonly<RbacObject>, wanted: Readonly<RbacObject>): Reconciled {
  if (existing.metadata?.annotations?.[autoUpdate] === "false") return { action: "none" };
  const object = isBinding(wanted) ? withSubjects(existing as RbacBinding, wanted) : withRules(existing as RbacRole, wanted);
  if (object === undefined) return { action: "recreate", object: wanted };
  const { metadata } = existing;
  object.metadata = {
    ...metadata,
    ...merged("labels", metadata, wanted.metadata),
    ...merged("annotations", metadata, wanted.metadata),
  };
  return deepEqual(object, existing) ? { action: "none" } : { action: "update", object };
}

const isBinding = (object: Readonly<RbacObject>): object is RbacBinding => "roleRef" in object;

/** What is set already stays as it is. */
function merged(field: "labels" | "annotations", existing: RbacObject["metadata"], wanted: RbacObject["metadata"]) {
  const entries = { ...wanted?.[field], ...existing?.[field] };
  return Object.keys(entries).length === 0 ? {} : { [field]: entries };
}

function withRules(existing: RbacRole, { rules = [], aggregationRule }: RbacRole): RbacRole {
  const object = { ...existing };
  // As they mostly are, which takes a tenth of the time of looking for each piece.
  const missing = deepEqual(existing.rules ?? [], rules ?? []) ? [] : missingRules(existing.rules ?? [], rules ?? []);
  if (missing.length > 0) object.rules = [...(existing.rules ?? []), ...missing];
  if (aggregationRule === undefined) {
    delete object.aggregationRule;
    return object;
  }
  const held = existing.aggregationRule?.clusterRoleSelectors ?? [];
  const more = (aggregationRule.clusterRoleSelectors ?? []).filter((one) => !held.some((other) => deepEqual(other, one)));
  if (more.length > 0) object.aggregationRule = { clusterRoleSelectors: [...held, ...more] };
  return object;
}

/** Undefined where it binds another role. */
function withSubjects(existing: RbacBinding, { roleRef, subjects = [] }: RbacBinding): RbacBinding | undefined {
  if (!deepEqual(roleRef, existing.roleRef)) return undefined;
  const held = existing.subjects ?? [];
  const missing = subjects.filter((one) => !held.some((other) => deepEqual(other, one)));
  return missing.length === 0 ? { ...existing } : { ...existing, subjects: [...held, ...missing] };
}
