/**
 * The managed fields of a scale subresource are those of its parent that own the number of replicas: they are taken out for
 * the write to the Scale, and put back after it.
 */
import { difference, type FieldPath, type FieldSet, fieldsAt, hasPath, isEmptySet, union } from "../field-path/field-set.ts";
import { fieldElement } from "../field-path/path-element.ts";
import { type FieldManager, type ManagedFields, managedBy, managerId } from "../managed-fields/managed-fields.ts";

/** Where each apiVersion of the parent has its replicas: `["spec", "replicas"]`. */
export type ReplicasPaths = ReadonlyMap<string, readonly string[]>;

const scaleVersion = "autoscaling/v1";
const replicasInScale = ["spec", "replicas"];
const toPath = (names: readonly string[]): FieldPath => names.map(fieldElement);

/**
 * Returns the managed fields that a Scale shows: those managers of the parent that own its replicas, under the paths of
 * `autoscaling/v1`.
 */
export function scaleManagedFields(parent: ManagedFields, replicas: ReplicasPaths): ManagedFields {
  return managedBy(
    parent.managers.flatMap((entry) => {
      const path = replicas.get(entry.apiVersion);
      return path === undefined || !hasPath(entry.fields, toPath(path)) ? [] : [inScale(entry)];
    }),
  );
}

const inScale = ({ suits: _, ...entry }: FieldManager): FieldManager => ({
  ...entry,
  apiVersion: scaleVersion,
  fields: fieldsAt(replicasInScale),
});

/**
 * The parent's managed fields after the Scale's have become `scale`; `apiVersion` is the parent's. Who updated the scale
 * has no time, as in Kubernetes, where the times of the Scale are lost.
 */
export function parentManagedFields(
  parent: ManagedFields,
  scale: ManagedFields,
  replicas: ReplicasPaths,
  apiVersion: string,
): ManagedFields {
  const pending = new Map(scale.managers.map((entry) => [managerId(entry), entry]));
  const times = new Map(parent.managers.map((entry) => [managerId(entry), entry.time]));
  const kept = parent.managers.flatMap((entry): readonly FieldManager[] => {
    const path = replicas.get(entry.apiVersion);
    if (path === undefined) return [];
    if (!hasPath(entry.fields, toPath(path)) || pending.delete(managerId(entry))) return [entry];
    const fields: FieldSet = difference(entry.fields, fieldsAt(path));
    return isEmptySet(fields) ? [] : [{ ...entry, fields }];
  });
  const path = replicas.get(apiVersion);
  if (path === undefined) return managedBy(kept);
  const added = [...pending].flatMap(([id, entry]): readonly FieldManager[] => {
    if (!hasPath(entry.fields, toPath(replicasInScale))) return [];
    const { suits: _, ...rest } = entry;
    return [{ ...rest, apiVersion, time: times.get(id), fields: fieldsAt(path) }];
  });
  return joinManagers(kept, added);
}

/** One entry for each identity: who has updated the parent in its own version keeps the other fields, and the time. */
function joinManagers(kept: readonly FieldManager[], added: readonly FieldManager[]): ManagedFields {
  const byId = new Map(kept.map((entry) => [managerId(entry), entry]));
  for (const entry of added) {
    const other = byId.get(managerId(entry));
    byId.set(managerId(entry), other === undefined ? entry : { ...other, fields: union(other.fields, entry.fields) });
  }
  return managedBy(byId.values());
}
