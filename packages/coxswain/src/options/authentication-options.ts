/** How clients may prove who they are: options that are called as kube-apiserver's. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { parseBoolean, parseList } from "./parse-values.ts";
import { parseMilliseconds } from "./standalone-options.ts";

/** What the options of authentication come to; files are not read yet. */
export interface AuthenticationSettings {
  /** Undefined: where the command lets requests without credentials in by default. */
  readonly anonymousAuth?: boolean | undefined;
  readonly clientCaFile?: string | undefined;
  readonly bootstrapTokens?: boolean | undefined;
  readonly requestHeader?: RequestHeaderSettings | undefined;
  /** A file. */
  readonly authenticationConfig?: string | undefined;
  /** Undefined unless one of the options is there. */
  readonly oidc?: OidcSettings | undefined;
  readonly tokenWebhook?: TokenWebhookSettings | undefined;
  readonly tokenNames?: TokenNameSettings | undefined;
  /** Whose tokens of service accounts count beside this server's own. */
  readonly serviceAccountKeyFiles?: readonly string[];
  /** Undefined: a key that is made, and kept in the data directory. */
  readonly serviceAccountSigningKeyFile?: string | undefined;
}

/** What tokens of service accounts say of the server. */
export interface TokenNameSettings {
  /** Undefined for the default. */
  readonly issuer: string | undefined;
  readonly formerIssuers?: readonly string[];
  readonly apiAudiences?: readonly string[];
}

/** Who else is asked about tokens. */
export interface TokenWebhookSettings {
  /** A kubeconfig. */
  readonly configFile: string;
  /** Of TokenReview. */
  readonly version: string;
  /** For how long answers count. Milliseconds. */
  readonly cacheMs: number;
}

/** As kube-apiserver's, what is not said of the webhook. */
export const defaultTokenWebhook: Pick<TokenWebhookSettings, "version" | "cacheMs"> = { version: "v1beta1", cacheMs: 120_000 };

/** One issuer of tokens. */
export interface OidcSettings {
  readonly issuerUrl: string | undefined;
  readonly clientId: string | undefined;
  readonly caFile: string | undefined;
  readonly usernameClaim: string;
  /** `-` for none; empty for the default. */
  readonly usernamePrefix: string;
  readonly groupsClaim: string | undefined;
  readonly groupsPrefix: string;
  readonly signingAlgs: readonly string[];
  readonly requiredClaims: Readonly<Record<string, string>>;
}

/** What the options of an issuer are where some of them are left out. */
export const defaultOidc: OidcSettings = {
  issuerUrl: undefined,
  clientId: undefined,
  caFile: undefined,
  usernameClaim: "sub",
  usernamePrefix: "",
  groupsClaim: undefined,
  groupsPrefix: "",
  signingAlgs: ["RS256"],
  requiredClaims: {},
};

/** Proxies that say for whom they ask. */
export interface RequestHeaderSettings {
  readonly clientCaFile: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export interface ParsedAuthenticationOptions {
  readonly anonymousAuth?: boolean;
  readonly clientCaFile?: string;
  readonly enableBootstrapTokenAuth?: true;
  readonly authenticationConfig?: string;
  readonly oidcIssuerUrl?: string;
  readonly oidcClientId?: string;
  readonly oidcCaFile?: string;
  readonly oidcUsernameClaim?: string;
  readonly oidcUsernamePrefix?: string;
  readonly oidcGroupsClaim?: string;
  readonly oidcGroupsPrefix?: string;
  readonly oidcSigningAlgs?: readonly string[];
  readonly oidcRequiredClaim?: Readonly<Record<string, string>>;
  readonly authenticationTokenWebhookConfigFile?: string;
  readonly authenticationTokenWebhookVersion?: string;
  readonly authenticationTokenWebhookCacheTtl?: number;
  readonly serviceAccountIssuer?: readonly string[];
  readonly apiAudiences?: readonly string[];
  readonly serviceAccountKeyFile?: readonly string[];
  readonly serviceAccountSigningKeyFile?: string;
  readonly requestheaderClientCaFile?: string;
  readonly requestheaderAllowedNames: readonly string[];
  readonly requestheaderUsernameHeaders: readonly string[];
  readonly requestheaderUidHeaders: readonly string[];
  readonly requestheaderGroupHeaders: readonly string[];
  readonly requestheaderExtraHeadersPrefix: readonly string[];
}

export const addAuthenticationOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        "--anonymous-auth [boolean]",
        "whether requests without credentials are of system:anonymous (default: those for health and version)",
      ).argParser(parseBoolean),
    )
    .option("--client-ca-file <file>", "whose clients' certificates count besides those that are issued here; read again when it changes")
    .option("--authentication-config <file>", "an AuthenticationConfiguration: issuers of tokens, anonymous requests; followed")
    .option("--oidc-issuer-url <url>", "one issuer of tokens, by OpenID Connect")
    .option("--oidc-client-id <id>", "for whom its tokens are made out")
    .option("--oidc-ca-file <file>", "whose certificate it has (default: one that this machine knows)")
    .option("--oidc-username-claim <claim>", "what of a token is the user's name (default: sub)")
    .option("--oidc-username-prefix <prefix>", "what is put before it; - for nothing (default: the issuer and #)")
    .option("--oidc-groups-claim <claim>", "what of a token are the groups")
    .option("--oidc-groups-prefix <prefix>", "what is put before them")
    .option("--oidc-signing-algs <names>", "how its tokens may be signed (default: RS256)", parseList)
    .option("--oidc-required-claim <claim=value>", "what a token must say; again for more", parseClaim)
    .option("--authentication-token-webhook-config-file <file>", "a kubeconfig of a webhook that knows more tokens")
    .option("--authentication-token-webhook-version <version>", "of the TokenReviews that it is sent: v1 or v1beta1 (default: v1beta1)")
    .option("--authentication-token-webhook-cache-ttl <duration>", "for how long its answers count (default: 2m)", parseMilliseconds)
    .option(
      "--service-account-issuer <name>",
      "who issues tokens of service accounts, a URL; again for names that it had before",
      parseIssuer,
    )
    .option("--service-account-signing-key-file <file>", "the private key of service account tokens, RSA or EC (default: one that is made)")
    .option(
      "--service-account-key-file <file>",
      "more keys whose tokens count: public, private or certificates; again for more files",
      (file: string, before: readonly string[] = []) => [...before, file],
    )
    .option("--api-audiences <names>", "for whom tokens are that are good here (default: the issuer)", parseHeaders)
    .option("--enable-bootstrap-token-auth", "let nodes in that have the token of a Secret of type bootstrap.kubernetes.io/token")
    .option("--requestheader-client-ca-file <file>", "whose clients are proxies, which say in headers for whom they ask")
    .option("--requestheader-allowed-names <names>", "common names of proxies (default: all that the file vouches for)", parseHeaders, [])
    .option("--requestheader-username-headers <names>", "where proxies say the user's name: X-Remote-User", parseHeaders, [])
    .option("--requestheader-uid-headers <names>", "where they say the uid: X-Remote-Uid", parseHeaders, [])
    .option("--requestheader-group-headers <names>", "where they say the groups: X-Remote-Group", parseHeaders, [])
    .option("--requestheader-extra-headers-prefix <prefixes>", "how headers with more begin: X-Remote-Extra-", parseHeaders, []);

export function authenticationSettingsOf(parsed: ParsedAuthenticationOptions): AuthenticationSettings {
  const { anonymousAuth, clientCaFile, requestheaderClientCaFile } = parsed;
  return {
    anonymousAuth,
    clientCaFile,
    authenticationConfig: parsed.authenticationConfig,
    oidc: oidcOf(parsed),
    tokenWebhook: tokenWebhookOf(parsed),
    tokenNames: tokenNamesOf(parsed.serviceAccountIssuer ?? [], parsed.apiAudiences ?? []),
    ...(parsed.serviceAccountKeyFile === undefined ? {} : { serviceAccountKeyFiles: parsed.serviceAccountKeyFile }),
    ...(parsed.serviceAccountSigningKeyFile === undefined ? {} : { serviceAccountSigningKeyFile: parsed.serviceAccountSigningKeyFile }),
    bootstrapTokens: parsed.enableBootstrapTokenAuth === true,
    requestHeader:
      requestheaderClientCaFile === undefined
        ? undefined
        : {
            clientCaFile: requestheaderClientCaFile,
            allowedNames: parsed.requestheaderAllowedNames,
            usernameHeaders: parsed.requestheaderUsernameHeaders,
            uidHeaders: parsed.requestheaderUidHeaders,
            groupHeaders: parsed.requestheaderGroupHeaders,
            extraHeaderPrefixes: parsed.requestheaderExtraHeadersPrefix,
          },
  };
}

/** The first issuer is the one of new tokens. */
export function tokenNamesOf([issuer, ...formerIssuers]: readonly string[], apiAudiences: readonly string[]): TokenNameSettings {
  return {
    issuer,
    ...(formerIssuers.length === 0 ? {} : { formerIssuers }),
    ...(apiAudiences.length === 0 ? {} : { apiAudiences }),
  };
}

/** What is wrong with names of issuers, in Kubernetes' words; undefined for nothing. */
export function issuersProblem(issuers: readonly string[]): string | undefined {
  if (issuers.includes("")) return "service-account-issuer should not be an empty string";
  const repeated = issuers.find((issuer, i) => issuers.indexOf(issuer) !== i);
  if (repeated !== undefined) return `service-account-issuer ${JSON.stringify(repeated)} is already specified`;
  const broken = issuers.find((issuer) => issuer.includes(":") && !URL.canParse(issuer));
  return broken && `service-account-issuer ${JSON.stringify(broken)} contained a ':' but was not a valid URL`;
}

function parseIssuer(text: string, before: readonly string[] = []): readonly string[] {
  const issuers = [...before, text];
  const problem = issuersProblem(issuers);
  if (problem !== undefined) throw new InvalidArgumentError(`${problem}.`);
  return issuers;
}

function tokenWebhookOf(parsed: ParsedAuthenticationOptions): TokenWebhookSettings | undefined {
  const { authenticationTokenWebhookConfigFile: configFile } = parsed;
  if (configFile === undefined) return undefined;
  return {
    configFile,
    version: parsed.authenticationTokenWebhookVersion ?? defaultTokenWebhook.version,
    cacheMs: parsed.authenticationTokenWebhookCacheTtl ?? defaultTokenWebhook.cacheMs,
  };
}

function oidcOf(parsed: ParsedAuthenticationOptions): OidcSettings | undefined {
  const isThere = Object.entries(parsed).some(([name, value]) => name.startsWith("oidc") && value !== undefined);
  if (!isThere) return undefined;
  return {
    issuerUrl: parsed.oidcIssuerUrl,
    clientId: parsed.oidcClientId,
    caFile: parsed.oidcCaFile,
    usernameClaim: parsed.oidcUsernameClaim ?? defaultOidc.usernameClaim,
    usernamePrefix: parsed.oidcUsernamePrefix ?? defaultOidc.usernamePrefix,
    groupsClaim: parsed.oidcGroupsClaim,
    groupsPrefix: parsed.oidcGroupsPrefix ?? defaultOidc.groupsPrefix,
    signingAlgs: parsed.oidcSigningAlgs ?? defaultOidc.signingAlgs,
    requiredClaims: parsed.oidcRequiredClaim ?? defaultOidc.requiredClaims,
  };
}

function parseClaim(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [claim = "", value] = text.split(/=(.*)/s, 2);
  if (claim === "" || value === undefined) throw new InvalidArgumentError("It must be a claim and a value: hd=example.com.");
  return { ...before, [claim.trim()]: value.trim() };
}

function parseHeaders(text: string): string[] {
  const names = parseList(text);
  if (names.length === 0) throw new InvalidArgumentError("It must name at least one.");
  return names;
}
