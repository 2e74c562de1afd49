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
export * from "./go-syntax.ts";
export * from "./ip.ts";
export * from "./json/canonical-json.ts";
export { cloneJson } from "./json/clone-json.ts";
export * from "./json/json-object.ts";
export * from "./manual-clock.ts";
export * from "./meta.ts";
export * from "./names.ts";
export {
  formatUrl,
  type GoUrl,
  hostname,
  isRequestUrl,
  parseQuery,
  parseRequestUrl,
  parseUrl,
  port,
  requestUrlProblem,
} from "./net/go-url.ts";
export { parseZonedAddress, type ZonedAddress } from "./net/netip.ts";
export * from "./patch/go-value.ts";
export * from "./patch/json-patch.ts";
export * from "./patch/merge-patch.ts";
export * from "./patch/strategic.ts";
export * from "./quantity.ts";
export * from "./schema/compile.ts";
export * from "./schema/decode.ts";
export * from "./schema/decode-error.ts";
export * from "./schema/decode-report.ts";
export { entryOf, fieldOf, type Path, strictPath } from "./schema/path.ts";
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
export * from "./system.ts";
export { unifiedDiff } from "./unified-diff.ts";
export * from "./wire-time.ts";
