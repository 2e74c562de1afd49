/** Server-side apply: who manages which field of an object, and what that makes of a write. */
export { type Applied, type ApplyBy, applyObject } from "./apply.ts";
export { concerns, type FieldChange, fieldChanges, valueAt } from "./field-changes.ts";
export { anyElement, excluding, type FieldFilter, including, leaves } from "./field-filter.ts";
export type { FieldPath, FieldSet } from "./field-set.ts";
export { fieldsV1Of, parseFieldsV1 } from "./fields-v1.ts";
export { formatPath } from "./format-path.ts";
export {
  decodeManagedFields,
  encodeManagedFields,
  type FieldManager,
  keepTimes,
  type ManagedFields,
  unmanaged,
} from "./managed-fields.ts";
export { managerOfAgent } from "./manager-name.ts";
export type { ApplyVersions, OtherVersion } from "./ownership.ts";
export { parentManagedFields, type ReplicasPaths, scaleManagedFields } from "./scale-fields.ts";
export { updateManagedFields, type WriteBy } from "./update.ts";
