export * from "./age.ts";
export * from "./convert.ts";
export { customDefinitions, definesTheSame } from "./custom/definition.ts";
export * from "./custom/names-controller.ts";
export { publishedListSchema, publishedName, publishedSchema } from "./custom/published-schema.ts";
export { toCustomScale } from "./custom/scale.ts";
export * from "./deprecation.ts";
export * from "./descriptions/load.ts";
export { loadDynamic, needsDynamic } from "./dynamic.ts";
export * from "./kind.ts";
export { apiApprovalCondition } from "./kinds/apiextensions/api-approval.ts";
export { localApiService } from "./kinds/apiregistration/api-service.ts";
export { type CronField, type CronFields, type CronSchedule, parseSchedule } from "./kinds/batch/cron-schedule.ts";
export { timeZoneProblem } from "./kinds/batch/time-zone.ts";
export * from "./kinds/certificates/approval.ts";
export * from "./kinds/certificates/signers.ts";
export { validateNamespaceFinalize } from "./kinds/core/namespace.ts";
export { validateServiceAddresses } from "./kinds/core/service-cluster-ips.ts";
export * from "./kinds/core/service-facts.ts";
export { danglingCondition } from "./kinds/flowcontrol/conditions.ts";
export { flowSchemas, isMandatoryLevel, priorityLevels } from "./kinds/flowcontrol/mandatory.ts";
export { systemPriorities } from "./kinds/scheduling/priority-class.ts";
export * from "./meta/owner-references.ts";
export { checkAnnotations, checkLabels } from "./meta/parts.ts";
export { validateReplacement } from "./meta/tolerance.ts";
export { metaPassesOf } from "./meta/update-passes.ts";
export * from "./meta/validate.ts";
export * from "./nodes/node-affinity.ts";
export * from "./nodes/taints.ts";
export { aggregate as aggregateResources } from "./pod/default-resources.ts";
export { type ImageName, parseImageName } from "./pod/image-name.ts";
export { type QosClass, qosClass } from "./pod/qos.ts";
export {
  isPodLevelResource,
  isScalarResource,
  podRequests,
  type RequestOptions,
  type ResourceAmounts,
  readAmounts,
  requestsAsPod,
} from "./pod/resource-requests.ts";
export { isExtended as isExtendedResource } from "./pod/resources.ts";
export * from "./pod/subresources.ts";
export * from "./registry.ts";
export * from "./resource.ts";
export * from "./scale.ts";
export * from "./type-facts.ts";
export type * as admissionregistrationV1 from "./types/admissionregistration-v1.ts";
export type * as apiextensionsV1 from "./types/apiextensions-v1.ts";
export type * as apiregistrationV1 from "./types/apiregistration-v1.ts";
export type * as appsV1 from "./types/apps-v1.ts";
export type * as authenticationV1 from "./types/authentication-v1.ts";
export type * as authorizationV1 from "./types/authorization-v1.ts";
export type * as autoscalingV1 from "./types/autoscaling-v1.ts";
export type * as autoscalingV2 from "./types/autoscaling-v2.ts";
export type * as batchV1 from "./types/batch-v1.ts";
export type * as certificatesV1 from "./types/certificates-v1.ts";
export type * as coordinationV1 from "./types/coordination-v1.ts";
export type * as coreV1 from "./types/core-v1.ts";
export type * as discoveryV1 from "./types/discovery-v1.ts";
export type * as eventsV1 from "./types/events-v1.ts";
export type * as flowcontrolV1 from "./types/flowcontrol-v1.ts";
export type * as metaV1 from "./types/meta-v1.ts";
export type * as networkingV1 from "./types/networking-v1.ts";
export type * as nodeV1 from "./types/node-v1.ts";
export type * as policyV1 from "./types/policy-v1.ts";
export type * as rbacV1 from "./types/rbac-v1.ts";
export type * as resourceV1 from "./types/resource-v1.ts";
export type * as schedulingV1 from "./types/scheduling-v1.ts";
export type * as storageV1 from "./types/storage-v1.ts";
export { default as wireFacts } from "./types/wire.json" with { type: "json" };
export * from "./version-order.ts";
export * from "./volumes/binding.ts";
export * from "./volumes/match.ts";
