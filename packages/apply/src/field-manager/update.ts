/** Managed fields after every write that is no apply: create, update, the patches, and those of subresources. */
import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from "@coxswain/machinery";
import { everything, type FieldFilter } from "../field-path/field-filter.ts";
import { isEmptySet, union } from "../field-path/field-set.ts";
import { capManagers } from "../managed-fields/cap-managers.ts";
import { inOrder, type ManagedFields, managedFieldsSent, sameManager, unmanaged } from "../managed-fields/managed-fields.ts";
import { sharedManager } from "../managed-fields/recent-managers.ts";
import { type ApplyVersions, settleOwnership, suitManagers } from "../ownership/ownership.ts";
import { mergeSchemaOf } from "../schema/merge-schema.ts";

/** Who makes a write that is no apply, when, and through which subresource. */
export interface WriteBy extends ApplyVersions {
  /** The field manager, or the first part of the user agent; "unknown" when empty. */
  readonly manager: string;
  readonly subresource?: string;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  /** What the strategy leaves to the manager; everything when absent. */
  readonly filter?: FieldFilter;
}

/**
 * The managed fields of `next`. `live` is the object before, as the request's version has it, or the type's zero value for
 * a new one; `managed` are its managed fields. Managed fields that `next` carries count as the client's (not on
 * subresources, which cannot change them). What the two objects share costs nothing.
 */
export function updateManagedFields(
  live: Readonly<KubeObject>,
  next: Readonly<KubeObject>,
  managed: ManagedFields,
  write: WriteBy,
): ManagedFields {
  const sent: readonly ManagedFieldsEntry[] | null | undefined = next.metadata?.managedFields;
  const start = (write.subresource ?? "") === "" ? managedFieldsSent(sent, managed) : managed;
  const isNew = (live.metadata?.uid ?? "") === "";
  if (start.managers.length === 0 && !isNew) return unmanaged;
  try {
    return recordChange(live, next, start, write);
  } catch {
    // Kubernetes leaves objects without managed fields rather than failing the write.
    return unmanaged;
  }
}

/** As `updateManagedFields`, whatever is managed so far. @throws Error when an object does not have the shape of its type */
export function recordChange(live: Readonly<KubeObject>, next: Readonly<KubeObject>, start: ManagedFields, write: WriteBy): ManagedFields {
  const { apiVersion, subresource = "", now, filter = everything } = write;
  const self = { manager: write.manager || "unknown", operation: "Update" as const, apiVersion, subresource };
  const before = suitManagers(start.managers, write);
  const writer = before.find((entry) => sameManager(entry, self));
  const { managers, changed } = settleOwnership(withoutManagedFields(live), withoutManagedFields(next), before, {
    versions: write,
    filter,
    writer,
  });
  if (isEmptySet(changed)) {
    const same = managers.length === start.managers.length && managers.every((entry, i) => entry === start.managers[i]);
    return capManagers(same ? start : inOrder([...managers]));
  }
  const previous = managers.find((entry) => sameManager(entry, self));
  const fields = previous === undefined ? changed : union(previous.fields, changed);
  const suits = mergeSchemaOf(write.type);
  const mine = sharedManager({ ...self, time: now, fields, suits }, suits);
  return capManagers(inOrder([...managers.filter((entry) => entry !== previous), mine]));
}

/** Managed fields are no fields that are managed. */
export function withoutManagedFields(object: Readonly<KubeObject>): Readonly<KubeObject> {
  if (object.metadata?.managedFields === undefined) return object;
  const metadata: ObjectMeta = { ...object.metadata };
  delete metadata.managedFields;
  return { ...object, metadata };
}
