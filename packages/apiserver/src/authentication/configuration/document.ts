/**
 * AuthenticationConfiguration of apiserver.config.k8s.io.
 * @see https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-AuthenticationConfiguration
 */
import { compileTypes } from "@coxswain/machinery";
import { decodeConfiguration } from "../../configuration/decode-configuration.ts";

/** How an API server authenticates; what the document leaves out is left out here. */
export interface AuthenticationConfiguration {
  readonly jwt?: readonly JwtAuthenticatorConfiguration[];
  readonly anonymous?: AnonymousAuthConfiguration;
}

/** Which requests without credentials are anonymous. */
export interface AnonymousAuthConfiguration {
  readonly enabled: boolean;
  readonly conditions?: readonly { readonly path: string }[];
}

/** How tokens of one issuer are checked, and what they say about a user. */
export interface JwtAuthenticatorConfiguration {
  readonly issuer: IssuerConfiguration;
  readonly claimValidationRules?: readonly ClaimValidationRule[];
  readonly claimMappings: ClaimMappings;
  readonly userValidationRules?: readonly { readonly expression: string; readonly message?: string }[];
}

/** Who issues tokens, and for whom. */
export interface IssuerConfiguration {
  readonly url: string;
  readonly discoveryURL?: string;
  /** In PEM. */
  readonly certificateAuthority?: string;
  readonly audiences?: readonly string[];
  readonly audienceMatchPolicy?: string;
  readonly egressSelectorType?: string;
}

/** A claim that a token must have, or an expression that must be true of all of them. */
export interface ClaimValidationRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

/** What of a token becomes what of a user. */
export interface ClaimMappings {
  readonly username: ClaimMapping;
  readonly groups: ClaimMapping;
  readonly uid: ClaimMapping;
  readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[];
}

/** A claim with what is put before it, or an expression. */
export interface ClaimMapping {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

const group = "apiserver.config.k8s.io";

/** Reads a document, of which nothing may be unknown. @throws Error in Kubernetes' words */
export async function parseAuthenticationConfiguration(text: string): Promise<AuthenticationConfiguration> {
  if (text === "") throw new Error("empty config data");
  return (await decodeConfiguration(text, {
    kind: "AuthenticationConfiguration",
    apiVersions: new Set([`${group}/v1`, `${group}/v1beta1`, `${group}/v1alpha1`]),
    type: types.get(struct("AuthenticationConfiguration")),
    others: ["AuthorizationConfiguration"],
  })) as unknown as AuthenticationConfiguration;
}

const typePrefix = "io.k8s.apiserver.v1";
const struct = (name: string): string => `${typePrefix}.${name}`;
const text = { type: "string", go: "omit" };
const value = { type: "string" };
const listOf = (name: string): object => ({ type: `[${struct(name)}]`, go: "omit" });

/** As `scripts/generate-api-types.ts` writes the facts of what is served. */
const types = compileTypes({
  configuration: {
    [struct("AuthenticationConfiguration")]: {
      fields: {
        kind: text,
        apiVersion: text,
        jwt: listOf("JWTAuthenticator"),
        anonymous: { type: struct("AnonymousAuthConfig"), go: "pointer" },
      },
    },
    [struct("AnonymousAuthConfig")]: { fields: { enabled: { type: "boolean" }, conditions: listOf("AnonymousAuthCondition") } },
    [struct("AnonymousAuthCondition")]: { fields: { path: value } },
    [struct("JWTAuthenticator")]: {
      fields: {
        issuer: { type: struct("Issuer") },
        claimValidationRules: listOf("ClaimValidationRule"),
        claimMappings: { type: struct("ClaimMappings") },
        userValidationRules: listOf("UserValidationRule"),
      },
    },
    [struct("Issuer")]: {
      fields: {
        url: value,
        discoveryURL: text,
        certificateAuthority: text,
        audiences: { type: "[string]", go: "omit" },
        audienceMatchPolicy: text,
        egressSelectorType: text,
      },
    },
    [struct("ClaimValidationRule")]: { fields: { claim: text, requiredValue: text, expression: text, message: text } },
    [struct("ClaimMappings")]: {
      fields: {
        username: { type: struct("PrefixedClaimOrExpression") },
        groups: { type: struct("PrefixedClaimOrExpression") },
        uid: { type: struct("ClaimOrExpression") },
        extra: listOf("ExtraMapping"),
      },
    },
    [struct("PrefixedClaimOrExpression")]: { fields: { claim: text, prefix: { type: "string", go: "pointer" }, expression: text } },
    [struct("ClaimOrExpression")]: { fields: { claim: text, expression: text } },
    [struct("ExtraMapping")]: { fields: { key: value, valueExpression: value } },
    [struct("UserValidationRule")]: { fields: { expression: value, message: text } },
  },
});
