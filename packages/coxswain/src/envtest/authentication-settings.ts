/** What the flags of kube-apiserver say about authentication. */
import { parseGoDuration } from "@coxswain/machinery";
import {
  type AuthenticationSettings,
  defaultOidc,
  defaultTokenWebhook,
  issuersProblem,
  type OidcSettings,
  type TokenNameSettings,
  type TokenWebhookSettings,
  tokenNamesOf,
} from "../options/authentication-options.ts";
import { StartError } from "../process/start-error.ts";
import { booleanOf, type Flags, lastOf, listOf } from "./parse-flags.ts";

/** @throws StartError */
export function authenticationSettingsOf(flags: Flags): AuthenticationSettings {
  const proxies = lastOf(flags, "requestheader-client-ca-file");
  return {
    anonymousAuth: booleanOf(flags, "anonymous-auth"),
    clientCaFile: lastOf(flags, "client-ca-file"),
    authenticationConfig: lastOf(flags, "authentication-config"),
    oidc: oidcOf(flags),
    tokenWebhook: tokenWebhookOf(flags),
    tokenNames: namesOf(flags),
    bootstrapTokens: booleanOf(flags, "enable-bootstrap-token-auth") ?? false,
    requestHeader:
      proxies === undefined
        ? undefined
        : {
            clientCaFile: proxies,
            allowedNames: listOf(flags, "requestheader-allowed-names"),
            usernameHeaders: listOf(flags, "requestheader-username-headers"),
            uidHeaders: listOf(flags, "requestheader-uid-headers"),
            groupHeaders: listOf(flags, "requestheader-group-headers"),
            extraHeaderPrefixes: listOf(flags, "requestheader-extra-headers-prefix"),
          },
  };
}

function namesOf(flags: Flags): TokenNameSettings {
  const issuers = flags.get("service-account-issuer") ?? [];
  const problem = issuersProblem(issuers);
  if (problem !== undefined) throw new StartError(problem);
  return tokenNamesOf(issuers, listOf(flags, "api-audiences"));
}

function tokenWebhookOf(flags: Flags): TokenWebhookSettings | undefined {
  const configFile = lastOf(flags, "authentication-token-webhook-config-file");
  if (configFile === undefined) return undefined;
  const ttl = lastOf(flags, "authentication-token-webhook-cache-ttl");
  const cacheMs = ttl === undefined ? defaultTokenWebhook.cacheMs : parseGoDuration(ttl);
  if (typeof cacheMs === "string")
    throw new StartError(`invalid argument "${ttl}" for "--authentication-token-webhook-cache-ttl" flag: ${cacheMs}`);
  return { configFile, version: lastOf(flags, "authentication-token-webhook-version") ?? defaultTokenWebhook.version, cacheMs };
}

function oidcOf(flags: Flags): OidcSettings | undefined {
  if (![...flags.keys()].some((name) => name.startsWith("oidc-"))) return undefined;
  const algorithms = listOf(flags, "oidc-signing-algs");
  const claims = (flags.get("oidc-required-claim") ?? []).map((text) => text.split(/=(.*)/s, 2).map((part) => part.trim()));
  const broken = claims.find(([, value]) => value === undefined);
  if (broken !== undefined) throw new StartError(`--oidc-required-claim=${broken.join("")}: malformed pair, expect string=string`);
  return {
    issuerUrl: lastOf(flags, "oidc-issuer-url"),
    clientId: lastOf(flags, "oidc-client-id"),
    caFile: lastOf(flags, "oidc-ca-file"),
    usernameClaim: lastOf(flags, "oidc-username-claim") ?? defaultOidc.usernameClaim,
    usernamePrefix: lastOf(flags, "oidc-username-prefix") ?? defaultOidc.usernamePrefix,
    groupsClaim: lastOf(flags, "oidc-groups-claim"),
    groupsPrefix: lastOf(flags, "oidc-groups-prefix") ?? defaultOidc.groupsPrefix,
    signingAlgs: algorithms.length === 0 ? defaultOidc.signingAlgs : algorithms,
    requiredClaims: Object.fromEntries(claims),
  };
}
