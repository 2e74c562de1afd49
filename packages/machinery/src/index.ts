export * from "./errors/conflict-record.ts";
export type { FieldError, FieldErrorType } from "./errors/field-error.ts";
export * as field from "./errors/field-error.ts";
export * from "./errors/message-of.ts";
export * from "./errors/status.ts";
export * from "./errors/status-object.ts";
export { connectReasons } from "./go/connect-reasons.ts";
export * from "./go/duration.ts";
export * from "./go/quote.ts";
export * from "./go/syntax.ts";
export { tlsReason } from "./go/tls-reason.ts";
export * from "./go/value.ts";
export * from "./json/json.ts";
export * from "./json/members.ts";
export * from "./json/problem-order.ts";
export * from "./json/utf8.ts";
export * from "./meta/invariant-report.ts";
export * from "./meta/meta.ts";
export * from "./meta/object-history.ts";
export { Histogram } from "./metrics/histogram.ts";
export { mergeMetricsTexts } from "./metrics/merge-texts.ts";
export { type Counter, type Gauge, type MetricLabels, MetricsRegistry, type MetricType, metricsContentType } from "./metrics/registry.ts";
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
export { hostRange, isHostIn } from "./net/hosts.ts";
export { type Cidr, cidrContains, formatCidr, formatIp, type IpAddress, masked, parseCidr, parseIp } from "./net/ip.ts";
export { parseZonedAddress, type ZonedAddress } from "./net/netip.ts";
export * from "./paging/continue-token.ts";
export * from "./patch/json-patch.ts";
export * from "./patch/merge-patch.ts";
export * from "./patch/strategic.ts";
export * from "./protobuf/protobuf.ts";
export { ProtobufReader, type ReadText, type WireKind } from "./protobuf/reader.ts";
export { ProtobufWriter } from "./protobuf/writer.ts";
export * from "./quantity/quantity.ts";
export * from "./races/race-report.ts";
export * from "./selectors/field.ts";
export * from "./selectors/label.ts";
export {
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  matchesRequirement,
  newRequirement,
} from "./selectors/label-requirement.ts";
export { trimLeft, trimRight } from "./text/trim.ts";
export { unifiedDiff } from "./text/unified-diff.ts";
export * from "./time/clock.ts";
export * from "./time/manual-clock.ts";
export * from "./time/rfc3339.ts";
export * from "./time/system.ts";
export * from "./time/wire-time.ts";
export * from "./types/compile.ts";
export * from "./types/decode.ts";
export * from "./types/decode-report.ts";
export { entryOf, fieldOf, type Path, strictPath } from "./types/path.ts";
export * from "./types/type.ts";
export * from "./types/zero.ts";
export * from "./validation/ip.ts";
export * from "./validation/names.ts";
export * from "./values/canonical-json.ts";
export { cloneJson } from "./values/clone-json.ts";
export * from "./values/decode-error.ts";
export * from "./values/disposable-stack.ts";
export * from "./values/equal.ts";
export * from "./values/json-object.ts";
export * from "./yaml/yaml.ts";
export { findYamlLine, type YamlPath } from "./yaml/yaml-lines.ts";
