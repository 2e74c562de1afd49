export { type AdmissionConfigurationFile, configuredAdmission } from "./admission/configured-admission.ts";
export { isAdmissionPlugin } from "./admission/plugins.ts";
export { legacyAuditLine } from "./audit/legacy-line.ts";
export { loadAuditPolicy } from "./audit/load-policy.ts";
export { type AuditPolicyDocument, compileAuditPolicy } from "./audit/policy.ts";
export { truncateAuditEvent } from "./audit/truncate.ts";
export * from "./authentication/authenticator.ts";
export * from "./authentication/bearer-token.ts";
export { parseCertificates } from "./authentication/client-authorities.ts";
export type { CompiledIssuer, CompiledRule } from "./authentication/configuration/compile-issuer.ts";
export type {
  AnonymousAuthConfiguration,
  AuthenticationConfiguration,
  ClaimMapping,
  ClaimMappings,
  ClaimValidationRule,
  IssuerConfiguration,
  JwtAuthenticatorConfiguration,
} from "./authentication/configuration/document.ts";
export type { ClaimExpression } from "./authentication/configuration/expressions.ts";
export * from "./authentication/configuration/load.ts";
export type { RequestHeaderOptions } from "./authentication/request-header.ts";
export * from "./authentication/token-file.ts";
export type { TokenWebhookOptions } from "./authentication/token-webhook.ts";
export * from "./authorization/authorizer.ts";
export { type LoadedAuthorizer, type LoadedWebhook, loadAuthorizationConfiguration } from "./authorization/configuration/load.ts";
export type { AuthorizationMode } from "./authorization/configuration/validate.ts";
export * from "./authorization/forbidden.ts";
export { rbacAuthorizer } from "./authorization/rbac/rbac-authorizer.ts";
export { RbacIndex } from "./authorization/rbac/rbac-index.ts";
export { parsePortRange } from "./configuration/port-range.ts";
export { parseServiceIpRanges, type ServiceIpRanges } from "./configuration/service-ip-ranges.ts";
export type { AdmissionChoice } from "./contracts/admission.ts";
export type * from "./contracts/aggregation-options.ts";
export type * from "./contracts/anonymous.ts";
export type * from "./contracts/audit.ts";
export type * from "./contracts/authenticator.ts";
export type { AuthorizationMatch, AuthorizationMatchConditions, AuthorizationWebhookOptions } from "./contracts/authorization-webhook.ts";
export type * from "./contracts/authorizer.ts";
export type * from "./contracts/cluster-authority.ts";
export type { ComponentHealth } from "./contracts/component-health.ts";
export * from "./contracts/content-provider.ts";
export type * from "./contracts/http.ts";
export type {
  Finding,
  FindingParts,
  Invariant,
  ListedObject,
  LoadedInvariant,
  NamedResource,
  ObservedChange,
  RelatedObjects,
  StateAt,
} from "./contracts/invariant.ts";
export type { KubeletCredentials, KubeletOptions } from "./contracts/kubelet-options.ts";
export type { Log } from "./contracts/log.ts";
export type * from "./contracts/process-peer.ts";
export type { RequestInfo, ResourceRequest, Verb } from "./contracts/request-info.ts";
export type * from "./contracts/resource-metrics.ts";
export type * from "./contracts/review-webhook.ts";
export type { ServiceRouting } from "./contracts/service-routing.ts";
export type { ServingOptions, ServingPair } from "./contracts/serving-options.ts";
export type { FileOrText, KubeconfigReader, WebhookAccess, WebhookCredentials, WebhookUsers } from "./contracts/webhook-credentials.ts";
export * from "./discovery/discovery-documents.ts";
export * from "./discovery/discovery-handler.ts";
export * from "./discovery/document.ts";
export type { KmsConfiguration } from "./encryption/configuration/document.ts";
export { type EncryptionFile, loadEncryptionConfiguration } from "./encryption/configuration/load.ts";
export { kmsTimeoutMs } from "./encryption/configuration/validate-kms.ts";
export { Encryption, type ProvidersByResource } from "./encryption/encryption.ts";
export { KmsProvider, type KmsService } from "./encryption/providers/kms.ts";
export type { Provider } from "./encryption/providers/provider.ts";
export * from "./http/exchange.ts";
export type { ConnectionLimits } from "./http/limits.ts";
export type { InvariantWatch, ResumedWatch } from "./invariants/invariant-watch.ts";
export { loadInvariants } from "./invariants/load-invariants.ts";
export type { KeptViolation, Violation } from "./invariants/violations.ts";
export { expose } from "./metrics/exposition.ts";
export * from "./metrics/metrics.ts";
export { kubeApiserverValues } from "./negotiation/kube-apiserver-values.ts";
export * from "./openapi/openapi-documents.ts";
export * from "./openapi/openapi-handler.ts";
export { parseRequest } from "./request/request-info.ts";
export type { Endpoint, EndpointRequest } from "./routes/endpoints.ts";
export type { HealthCheck } from "./routes/health.ts";
export type { PageSource } from "./routes/paths.ts";
export type { MayGet, Report } from "./routes/reports.ts";
export * from "./routes/version.ts";
export type { AuthenticationOptions, ProxyOptions } from "./server/create-authentication.ts";
export type { AuthorizationOptions, AuthorizerOptions } from "./server/create-authorizer.ts";
export type { FlowControlOptions } from "./server/create-flow-control.ts";
export type { ServerNetwork } from "./server/create-network.ts";
export type { WatchInvariantsOptions } from "./server/create-watch-invariants.ts";
export * from "./server/server.ts";
export { makeServiceAccountKey, readSigningKey, readVerificationKeys } from "./service-accounts/signing-key.ts";
export { defaultIssuer } from "./service-accounts/tokens.ts";
export { eventTtlSeconds, isEventKey } from "./storage/event-ttl.ts";
