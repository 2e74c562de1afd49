/** Authentication as the options want it: the files that they name, read and followed. */
import { readFileSync } from "node:fs";
import {
  type AnonymousAuth,
  type AuthenticationOptions,
  type ContentProvider,
  defaultIssuer,
  type LoadedAuthenticationConfiguration,
  type Log,
  loadAuthenticationConfiguration,
  type Metrics,
  type ProxyOptions,
  parseCertificates,
  readSigningKey,
  readVerificationKeys,
  type ServerOptions,
  type TokenWebhookOptions,
} from "@coxswain/apiserver";
import { AsyncDisposableStack, type Clock, deepEqual, goQuote } from "@coxswain/machinery";
import type { AuthenticationSettings, RequestHeaderSettings, TokenWebhookSettings } from "../options/authentication-options.ts";
import { type FollowedFile, followFile } from "../process/follow-file.ts";
import { StartError, startErrorOf } from "../process/start-error.ts";
import { configurationOfFlags } from "./oidc-flags.ts";
import { reviewWebhookOf } from "./review-webhook.ts";

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "access">;
  /** Where requests without credentials are let in unless the options say. */
  readonly anonymous: AnonymousAuth;
  readonly isPublished: boolean;
  /** Proxies that are known where the options name no others. */
  readonly frontProxy?: ProxyOptions;
}

/** Follows its files until it is disposed of. */
export interface FollowedAuthentication extends AsyncDisposable {
  /** How clients prove who they are. */
  readonly options: AuthenticationOptions;
  /** The same, with what tokens of service accounts say, and the keys that are given for them. */
  readonly server: Pick<ServerOptions, "authentication" | "tokenOptions" | "serviceAccountKey">;
}

/** @throws StartError for a file that cannot be used, and for options that contradict each other */
export async function followAuthenticationFiles(
  settings: AuthenticationSettings,
  { anonymous, isPublished, frontProxy, metrics, ...at }: Surroundings,
): Promise<FollowedAuthentication> {
  await using stack = new AsyncDisposableStack();
  const follow = async <T>(file: Omit<FollowedFile<T>, keyof typeof at>): Promise<ContentProvider<T>> =>
    stack.use(await followFile({ ...file, ...at }));
  const { clientCaFile, requestHeader, bootstrapTokens } = settings;
  const clientAuthorities =
    clientCaFile === undefined ? undefined : await follow({ path: clientCaFile, what: "--client-ca-file", parse: certificates });
  const proxies =
    requestHeader === undefined
      ? undefined
      : await follow({ path: requestHeader.clientCaFile, what: "--requestheader-client-ca-file", parse: certificates });
  checkOverlap(clientAuthorities, proxies, requestHeader);
  const onFailure = (): void => metrics.access.authenticationConfig.fail(at.clock.now() / 1000);
  const configuration = await configurationOf(settings, (file) => follow({ ...file, onFailure }));
  const options: AuthenticationOptions = {
    clientAuthorities,
    isPublished,
    bootstrapTokens,
    configuration,
    tokenWebhook: settings.tokenWebhook && (await tokenWebhookOf(settings.tokenWebhook, at.clock, stack)),
    requestHeader: requestHeader && proxies ? { ...requestHeader, clientAuthorities: proxies } : frontProxy,
    anonymous: anonymousOf(settings, configuration?.current.anonymous) ?? anonymous,
  };
  const owned = stack.move();
  const server = { authentication: options, ...serviceAccountKeysOf(settings) };
  return { options, server, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function serviceAccountKeysOf({ tokenNames, serviceAccountKeyFiles = [], serviceAccountSigningKeyFile: signing }: AuthenticationSettings) {
  const verificationKeys = serviceAccountKeyFiles.map((file) => keyOf(file, "--service-account-key-file", readVerificationKeys));
  const serviceAccountKey = signing === undefined ? undefined : keyOf(signing, "--service-account-signing-key-file", readSigningKey);
  return {
    ...(tokenNames === undefined && verificationKeys.length === 0 ? {} : { tokenOptions: { ...tokenNames, verificationKeys } }),
    ...(serviceAccountKey === undefined ? {} : { serviceAccountKey }),
  };
}

/** PEM that can be read. @throws StartError */
function keyOf(path: string, flag: string, read: (pem: string) => unknown): string {
  try {
    const pem = readFileSync(path, "utf8");
    read(pem);
    return pem;
  } catch (error) {
    throw startErrorOf(`cannot use ${flag}`, error);
  }
}

async function tokenWebhookOf(
  { configFile, version, cacheMs }: TokenWebhookSettings,
  clock: Clock,
  stack: AsyncDisposableStack,
): Promise<TokenWebhookOptions> {
  if (version !== "v1" && version !== "v1beta1") {
    throw new StartError(`unsupported authentication webhook version ${goQuote(version)}, supported versions are "v1", "v1beta1"`);
  }
  return { webhook: stack.use(await reviewWebhookOf(configFile, "--authentication-token-webhook-config-file", clock)), version, cacheMs };
}

type Follow = <T>(file: Pick<FollowedFile<T>, "path" | "what" | "parse">) => Promise<ContentProvider<T>>;
type Configuration = ContentProvider<LoadedAuthenticationConfiguration>;

async function configurationOf(
  { authenticationConfig, oidc, tokenNames }: AuthenticationSettings,
  follow: Follow,
): Promise<Configuration | undefined> {
  const disallowedIssuers = [tokenNames?.issuer ?? defaultIssuer, ...(tokenNames?.formerIssuers ?? [])];
  if (authenticationConfig === undefined) return oidc && (await configurationOfFlags(oidc, disallowedIssuers));
  if (oidc !== undefined) throw new StartError("authentication-config file and oidc-* flags are mutually exclusive");
  let first: LoadedAuthenticationConfiguration | undefined;
  return follow({
    path: authenticationConfig,
    what: "--authentication-config",
    parse: async (text) => {
      const loaded = await loadAuthenticationConfiguration(text, { disallowedIssuers });
      first ??= loaded;
      if (!deepEqual(first.anonymous, loaded.anonymous)) throw new Error("anonymous: Forbidden: changed from initial configuration file");
      return loaded;
    },
  });
}

function anonymousOf({ anonymousAuth }: AuthenticationSettings, configured: AnonymousAuth | undefined): AnonymousAuth | undefined {
  if (anonymousAuth !== undefined && configured !== undefined) {
    throw new StartError(
      "anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file",
    );
  }
  return anonymousAuth === undefined ? configured : { enabled: anonymousAuth };
}

/** @throws Error for a text without certificates, which would let nobody in */
function certificates(pem: string): string {
  if (parseCertificates(pem).length === 0) throw new Error("it has no certificates in PEM");
  return pem;
}

/** With one authority for users and for proxies, each user could say to be any other one. @throws StartError */
function checkOverlap(
  clients: ContentProvider<string> | undefined,
  proxies: ContentProvider<string> | undefined,
  settings: RequestHeaderSettings | undefined,
): void {
  if (clients === undefined || proxies === undefined || settings === undefined || settings.allowedNames.length > 0) return;
  const known = new Set(parseCertificates(clients.current).map(({ fingerprint256 }) => fingerprint256));
  if (parseCertificates(proxies.current).some(({ fingerprint256 }) => known.has(fingerprint256))) {
    throw new StartError(
      "--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users",
    );
  }
}
