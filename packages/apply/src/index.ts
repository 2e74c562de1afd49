/** Server-side apply: who manages which field of an object, and what that makes of a write. */
export { type Applied, type ApplyBy, applyObject } from "./field-manager/apply.ts";
export { concerns, type FieldChange, fieldChanges, leafFields, valueAt } from "./field-manager/field-changes.ts";
export { type Merged, mergeConfiguration } from "./field-manager/merge-configuration.ts";
export { parentManagedFields, type ReplicasPaths, scaleManagedFields } from "./field-manager/scale-fields.ts";
export { updateManagedFields, type WriteBy } from "./field-manager/update.ts";
export { anyElement, excluding, type FieldFilter, including, leaves } from "./field-path/field-filter.ts";
export type { FieldPath, FieldSet } from "./field-path/field-set.ts";
export { fieldsV1Of, parseFieldsV1 } from "./field-path/fields-v1.ts";
export { formatPath } from "./field-path/format-path.ts";
export { FieldSets } from "./managed-fields/field-sets.ts";
export {
  decodeManagedFields,
  encodeManagedFields,
  type FieldManager,
  keepTimes,
  type ManagedFields,
  unmanaged,
} from "./managed-fields/managed-fields.ts";
export { managerOfAgent } from "./managed-fields/manager-name.ts";
export type { ApplyVersions, OtherVersion } from "./ownership/ownership.ts";
