export type * from "@coxswain/types";
export * from "./conversion/convert.ts";
export { customDefinitions, definesTheSame } from "./custom/definition.ts";
export { publishedListSchema, publishedName, publishedSchema } from "./custom/published-schema.ts";
export { toCustomScale } from "./custom/scale.ts";
export * from "./descriptions/load.ts";
export type { Descriptions } from "./descriptions/texts.ts";
export { loadDynamic, needsDynamic } from "./dynamic/lazy-module.ts";
export * from "./facts/type-facts.ts";
export { apiApprovalCondition } from "./kinds/apiextensions/custom-resource-definition/api-approval.ts";
export * from "./kinds/apiextensions/custom-resource-definition/naming-conditions.ts";
export { localApiService } from "./kinds/apiregistration/api-service/strategy.ts";
export * from "./kinds/autoscaling/scale/scale.ts";
export { type CronField, type CronFields, type CronSchedule, parseSchedule } from "./kinds/batch/cron-job/schedule.ts";
export { timeZoneProblem } from "./kinds/batch/cron-job/time-zone.ts";
export * from "./kinds/certificates/certificate-signing-request/signers.ts";
export { validateNamespaceFinalize } from "./kinds/core/namespace/strategy.ts";
export { podCidrsOf } from "./kinds/core/node/pod-cidrs.ts";
export { initIpFamilies } from "./kinds/core/service/ip-families.ts";
export { ipFamilyOf, type ServiceIpFamily } from "./kinds/core/service/ip-family.ts";
export * from "./kinds/core/service/service-type.ts";
export { flowSchemas, isMandatoryLevel, priorityLevels } from "./kinds/flowcontrol/mandatory.ts";
export { systemPriorities } from "./kinds/scheduling/priority-class/strategy.ts";
export * from "./node-matching/node-affinity.ts";
export * from "./node-matching/taints.ts";
export * as podSecurity from "./pod-security/index.ts";
export { aggregate as aggregateResources } from "./pod-spec/default-resources.ts";
export { type ImageName, parseImageName } from "./pod-spec/image-name.ts";
export { type QosClass, qosClass } from "./pod-spec/qos.ts";
export { configMapNames, secretNames } from "./pod-spec/referenced-names.ts";
export {
  isPodLevelResource,
  isScalarResource,
  podRequests,
  type RequestOptions,
  type ResourceAmounts,
  readAmounts,
  requestsAsPod,
  sumContainers,
} from "./pod-spec/resource-requests.ts";
export * from "./rbac/bootstrap-policy.ts";
export * from "./registry/deprecation.ts";
export * from "./registry/registry.ts";
export * from "./registry/resource-definition.ts";
export * from "./registry/version-order.ts";
export * as resourceQuota from "./resource-quota/index.ts";
export * from "./strategy/strategy.ts";
export * from "./table/age.ts";
export * from "./table/columns.ts";
export type { PolicyTypes, TypedKind } from "./validation/admissionregistration/check-policy-types.ts";
export type {
  CompiledExpression,
  ExpressionCompiler,
  ExpressionScope,
  ExpressionUse,
} from "./validation/admissionregistration/expressions.ts";
export { expressions as admissionExpressions } from "./validation/admissionregistration/lazy-expressions.ts";
export { policyTypes } from "./validation/admissionregistration/lazy-policy-types.ts";
export type { OpenApiSchema, OpenApiSchemas } from "./validation/admissionregistration/schema-types.ts";
export { danglingCondition } from "./validation/flow-control-conditions.ts";
export * from "./validation/metadata/object-meta.ts";
export * from "./validation/metadata/owner-references.ts";
export { validateAnnotations, validateLabels } from "./validation/metadata/parts.ts";
export { metaPassesOf } from "./validation/metadata/update-passes.ts";
export { isExtended as isExtendedResource } from "./validation/pod-spec/resources.ts";
export { validateTolerations } from "./validation/pod-spec/scheduling.ts";
export { validateReplacement } from "./validation/ratcheting.ts";
export * from "./volume-binding/binding.ts";
export * from "./volume-binding/match.ts";
