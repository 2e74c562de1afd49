/**
 * AuthorizationConfiguration of apiserver.config.k8s.io.
 * @see https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-AuthorizationConfiguration
 */
import { compileTypes, parseGoDuration } from "@coxswain/machinery";
import { decodeConfiguration } from "../../configuration/decode-configuration.ts";

/** By whom an API server has users' rights decided. */
export interface AuthorizationConfiguration {
  /** In the order in which they are asked. */
  readonly authorizers?: readonly AuthorizerConfiguration[] | null;
}

/** One of those that are asked; what the document leaves out is empty. */
export interface AuthorizerConfiguration {
  readonly type: string;
  readonly name: string;
  readonly webhook?: WebhookConfiguration | null;
}

/** How a webhook is asked. Durations as Go writes them. */
export interface WebhookConfiguration {
  readonly authorizedTTL?: string;
  readonly cacheAuthorizedRequests?: boolean | null;
  readonly unauthorizedTTL?: string;
  readonly cacheUnauthorizedRequests?: boolean | null;
  readonly timeout?: string;
  readonly subjectAccessReviewVersion?: string;
  readonly matchConditionSubjectAccessReviewVersion?: string;
  readonly failurePolicy?: string;
  readonly connectionInfo?: ConnectionInfo;
  readonly matchConditions?: readonly { readonly expression?: string }[] | null;
}

/** Where a webhook is. */
export interface ConnectionInfo {
  readonly type?: string;
  readonly kubeConfigFile?: string | null;
}

const group = "apiserver.config.k8s.io";

/** Reads a document, of which nothing may be unknown. @throws Error in Kubernetes' words */
export async function parseAuthorizationConfiguration(text: string): Promise<AuthorizationConfiguration> {
  if (text === "") return {};
  const document = (await decodeConfiguration(text, {
    kind: "AuthorizationConfiguration",
    apiVersions: new Set([`${group}/v1`, `${group}/v1beta1`, `${group}/v1alpha1`]),
    type: types.get(struct("AuthorizationConfiguration")),
    others: ["AuthenticationConfiguration"],
  })) as unknown as AuthorizationConfiguration;
  for (const { webhook } of document.authorizers ?? []) {
    for (const text of [webhook?.authorizedTTL, webhook?.unauthorizedTTL, webhook?.timeout]) {
      const duration = text === undefined ? 0 : parseGoDuration(text);
      if (typeof duration === "string") throw new Error(duration);
    }
  }
  return document;
}

const struct = (name: string): string => `io.k8s.apiserver.v1.${name}`;
const text = { type: "string" };
const optional = { type: "string", go: "omit" };

/** As `scripts/generate-api-types.ts` writes the facts of what is served. */
const types = compileTypes({
  configuration: {
    [struct("AuthorizationConfiguration")]: {
      fields: { kind: optional, apiVersion: optional, authorizers: { type: `[${struct("AuthorizerConfiguration")}]` } },
    },
    [struct("AuthorizerConfiguration")]: {
      fields: { type: text, name: text, webhook: { type: struct("WebhookConfiguration"), go: "pointer" } },
    },
    [struct("WebhookConfiguration")]: {
      fields: {
        authorizedTTL: optional,
        cacheAuthorizedRequests: { type: "boolean", go: "pointer" },
        unauthorizedTTL: optional,
        cacheUnauthorizedRequests: { type: "boolean", go: "pointer" },
        timeout: optional,
        subjectAccessReviewVersion: text,
        matchConditionSubjectAccessReviewVersion: text,
        failurePolicy: text,
        connectionInfo: { type: struct("WebhookConnectionInfo") },
        matchConditions: { type: `[${struct("WebhookMatchCondition")}]` },
      },
    },
    [struct("WebhookConnectionInfo")]: { fields: { type: text, kubeConfigFile: { type: "string", go: "pointer" } } },
    [struct("WebhookMatchCondition")]: { fields: { expression: text } },
  },
});
