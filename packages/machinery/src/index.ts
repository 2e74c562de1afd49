export { type Applied, type ApplyBy, applyObject } from "./apply/apply.ts";
export { canonicalJson, compareBytes } from "./apply/canonical-value.ts";
export { concerns, type FieldChange, fieldChanges, valueAt } from "./apply/field-changes.ts";
export { anyElement, excluding, type FieldFilter, including, leaves } from "./apply/field-filter.ts";
export type { FieldPath, FieldSet } from "./apply/field-set.ts";
export { fieldsV1Of, parseFieldsV1 } from "./apply/fields-v1.ts";
export { formatPath } from "./apply/go-syntax.ts";
export {
  decodeManagedFields,
  encodeManagedFields,
  type FieldManager,
  keepTimes,
  type ManagedFields,
  unmanaged,
} from "./apply/managed-fields.ts";
export { managerOfAgent } from "./apply/manager-name.ts";
export type { ApplyVersions, OtherVersion } from "./apply/ownership.ts";
export { parentManagedFields, type ReplicasPaths, scaleManagedFields } from "./apply/scale-fields.ts";
export { updateManagedFields, type WriteBy } from "./apply/update.ts";
export { parseRequestUrl, parseUrl } from "./cel/library/go-url.ts";
export * from "./clock.ts";
export * from "./codec/json.ts";
export * from "./codec/members.ts";
export * from "./codec/problem-order.ts";
export * from "./codec/protobuf.ts";
export { ProtobufWriter } from "./codec/protobuf-writer.ts";
export * from "./codec/utf8.ts";
export * from "./codec/yaml.ts";
export * from "./conflict-record.ts";
export * from "./continue-token.ts";
export * from "./equal.ts";
export type { FieldError, FieldErrorType } from "./field-error.ts";
export * as field from "./field-error.ts";
export * from "./go-duration.ts";
export * from "./go-format.ts";
export * from "./ip.ts";
export { type JsonPath, parseJsonPath, printJsonPathValue, relaxJsonPath } from "./jsonpath/json-path.ts";
export { JsonPathError } from "./jsonpath/node.ts";
export * from "./manual-clock.ts";
export * from "./meta.ts";
export * from "./names.ts";
export * from "./patch/go-value.ts";
export * from "./patch/json-patch.ts";
export * from "./patch/merge-patch.ts";
export * from "./patch/strategic.ts";
export * from "./quantity.ts";
export * from "./schema/compile.ts";
export * from "./schema/decode.ts";
export * from "./schema/decode-error.ts";
export * from "./schema/decode-report.ts";
export * from "./schema/time.ts";
export * from "./schema/type.ts";
export * from "./schema/zero.ts";
export * from "./selectors/field.ts";
export * from "./selectors/label.ts";
export {
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  matchesRequirement,
  newRequirement,
} from "./selectors/label-requirement.ts";
export * from "./status.ts";
export type { SchemaCheck, SchemaTolerance } from "./structural/check/check-schema.ts";
export type { CheckedRule, DefaultRules, RuleChecker } from "./structural/check/rule-checker.ts";
export { cloneJson } from "./structural/clone-json.ts";
export type { CustomSchema, CustomSchemaOptions, MetadataCheck, Patience } from "./structural/custom-schema.ts";
export type { CompiledRules, RuleFindings } from "./structural/rules/validate-rules.ts";
export type { JsonSchema, ValidationRule } from "./structural/schema.ts";
export * from "./system.ts";
export { unifiedDiff } from "./unified-diff.ts";
export * from "./wire-time.ts";
export * from "./x509/certificate-request.ts";
export {
  DerError,
  type Element,
  expect,
  partsOf,
  readBitString,
  readElement,
  readElements,
  readObjectIdentifier,
  readText,
  tags,
} from "./x509/der-reader.ts";
export * from "./x509/subject.ts";
