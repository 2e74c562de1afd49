/** What objects count for in quotas, and which quotas are about them. */
export { countableOf, type MeasuredKind } from "./countable.ts";
export { type QuotaChange, type QuotaEvaluator, quotaEvaluator } from "./evaluator.ts";
export { claimIsIn, podIsIn, requirementsOf } from "./scopes.ts";
export { claimUsage, deviceClaimUsage, podUsage, serviceUsage, type Usage } from "./usage.ts";
