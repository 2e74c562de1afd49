/** The Common Expression Language, with what Kubernetes adds to it. */
export * from "./ast.ts";
export * from "./collections.ts";
export { type CostEstimator, type CostEstimatorOptions, createCostEstimator, type SizeProvider } from "./cost/estimate.ts";
export { createEnvironment } from "./create-environment.ts";
export * from "./environment.ts";
export { equalValues } from "./equality.ts";
export { fromJson, JsonList, JsonMap, type ObjectAdaptor, toJson } from "./json.ts";
export {
  type AuthorizerDecision,
  type AuthorizerQuestion,
  authorizerType,
  authorizerValue,
  type ExpressionAuthorizer,
  type ResourceQuestion,
  resourceCheckType,
  resourceCheckValue,
} from "./library/authorizer.ts";
export { CidrValue, cidrType } from "./library/cidr.ts";
export { FormatValue, formatType } from "./library/format.ts";
export { formats, type NamedFormat } from "./library/formats.ts";
export { IpValue, ipType } from "./library/ip.ts";
export { JsonPatchValue, jsonPatch, jsonPatchType, jsonPatchTypes } from "./library/json-patch.ts";
export { kubernetesLibraries } from "./library/kubernetes.ts";
export { QuantityValue, quantityType } from "./library/quantity.ts";
export { SemverValue, semverType } from "./library/semver.ts";
export { strings } from "./library/strings.ts";
export { UrlValue, urlType } from "./library/urls.ts";
export * from "./library.ts";
export * from "./macro.ts";
export { compareValues } from "./order.ts";
export type { Issue } from "./source.ts";
export { bindings } from "./standard/bindings.ts";
export { optionals } from "./standard/optional.ts";
export { parseDuration, parseTimestamp } from "./standard/time-text.ts";
export { twoVariables } from "./standard/two-variables.ts";
export * from "./type.ts";
export { runtimeTypeName, sameType, showResultType, showType } from "./type-text.ts";
export * from "./value.ts";
export { typeOfValue } from "./value-type.ts";
