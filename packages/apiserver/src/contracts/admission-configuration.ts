/**
 * What the admission configuration says to plugins, read and checked: data alone, so that every thread can have it.
 * @see https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-AdmissionConfiguration
 */
import type { coreV1, podSecurity } from "@coxswain/api";
import type { WebhookAccess, WebhookUsers } from "./webhook-credentials.ts";

/** By the plugins that read it; what is not configured is left out. */
export interface AdmissionPluginConfigurations {
  readonly podSecurity?: PodSecurityConfiguration;
  readonly eventRateLimit?: EventRateLimitConfiguration;
  readonly resourceQuota?: ResourceQuotaConfiguration;
  readonly podNodeSelector?: PodNodeSelectorConfiguration;
  readonly podTolerationRestriction?: PodTolerationRestrictionConfiguration;
  readonly imagePolicy?: ImagePolicyConfiguration;
  /** As whom the server comes to webhooks. */
  readonly mutatingWebhooks?: WebhookUsers;
  readonly validatingWebhooks?: WebhookUsers;
}

/** Who decides about images, and for how long that counts. */
export interface ImagePolicyConfiguration {
  readonly webhook: WebhookAccess;
  /** Milliseconds, all of them; 0 for not at all. */
  readonly allowedMs: number;
  readonly deniedMs: number;
  /** Before the first repetition of a call that has failed. */
  readonly retryBackoffMs: number;
  /** What becomes of a Pod when the webhook cannot be asked. */
  readonly defaultAllow: boolean;
}

/** Which level namespaces have whose labels name none, and what is not checked. */
export interface PodSecurityConfiguration {
  readonly defaults: podSecurity.PodSecurityPolicy;
  readonly exemptions: {
    readonly usernames: readonly string[];
    readonly namespaces: readonly string[];
    readonly runtimeClasses: readonly string[];
  };
}

/** How many events are taken. */
export interface EventRateLimitConfiguration {
  readonly limits: readonly EventRateLimit[];
}

/** One bucket of tokens for all events, or one for each of what the type names. */
export interface EventRateLimit {
  readonly type: "Server" | "Namespace" | "User" | "SourceAndObject";
  /** Events a second in the long run. */
  readonly qps: number;
  readonly burst: number;
  /** How many buckets are kept; 0 for the default. */
  readonly cacheSize: number;
}

/** What may be used only where a quota allows it. */
export interface ResourceQuotaConfiguration {
  readonly limitedResources: readonly LimitedResource[];
}

/** @see https://kubernetes.io/docs/concepts/policy/resource-quotas/#limit-priority-class-consumption-by-default */
export interface LimitedResource {
  readonly apiGroup?: string;
  readonly resource: string;
  /** Parts of the names of amounts. */
  readonly matchContains?: readonly string[];
  readonly matchScopes?: readonly coreV1.ScopedResourceSelectorRequirement[];
}

/** Selectors as text, by namespaces whose Pods may have no other labels; `clusterDefaultNodeSelector` for those without one of their own. */
export type PodNodeSelectorConfiguration = Readonly<Record<string, string>>;

/** For namespaces whose annotations say nothing. */
export interface PodTolerationRestrictionConfiguration {
  readonly default: readonly coreV1.Toleration[];
  readonly whitelist: readonly coreV1.Toleration[];
}
