/** The Common Expression Language, with what Kubernetes adds to it. */

export { createEnvironment } from "./compile/create-environment.ts";
export { type CostEstimator, type CostEstimatorOptions, createCostEstimator, type SizeProvider } from "./cost/estimate.ts";
export * from "./environment/environment.ts";
export * from "./environment/library.ts";
export {
  ApplyConfigurationValue,
  applyConfigurationType,
  applyConfigurationTypes,
  typeNameProblems,
} from "./library/apply-configuration.ts";
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
export { bindings } from "./standard/bindings.ts";
export { optionals } from "./standard/optional.ts";
export { twoVariables } from "./standard/two-variables.ts";
export * from "./syntax/ast.ts";
export type { Limits } from "./syntax/limits.ts";
export * from "./syntax/macro.ts";
export type { Issue } from "./syntax/source.ts";
export * from "./types/type.ts";
export { runtimeTypeName, sameType, showResultType, showType } from "./types/type-text.ts";
export * from "./values/collections.ts";
export { equalValues } from "./values/equality.ts";
export { fromJson, JsonList, JsonMap, type ObjectAdaptor, toJson } from "./values/json.ts";
export { compareValues } from "./values/order.ts";
export { parseDuration, parseTimestamp } from "./values/time-text.ts";
export * from "./values/value.ts";
export { typeOfValue } from "./values/value-type.ts";
