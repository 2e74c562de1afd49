/** By what clients prove who they are: every authenticator of a server, in the order in which they are asked. */
import type { Clock, RandomSource } from "@coxswain/machinery";
import { forAudiences, unionAuthenticator } from "../authentication/authenticator.ts";
import { bootstrapTokenAuthenticator } from "../authentication/bootstrap-token.ts";
import { ClientAuthorities } from "../authentication/client-authorities.ts";
import { clientCertificateAuthenticator } from "../authentication/client-certificate.ts";
import type { LoadedAuthenticationConfiguration } from "../authentication/configuration/load.ts";
import type { ConfiguredIssuers } from "../authentication/oidc/configured-issuers.ts";
import { type RequestHeaderOptions, requestHeaderAuthenticator } from "../authentication/request-header.ts";
import { type TokenWebhookOptions, tokenWebhookAuthenticator } from "../authentication/token-webhook.ts";
import type { AnonymousAuth } from "../contracts/anonymous.ts";
import type { Authenticator } from "../contracts/authenticator.ts";
import type { ClusterAuthority } from "../contracts/cluster-authority.ts";
import type { ContentProvider } from "../contracts/content-provider.ts";
import type { Log } from "../contracts/log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { serviceAccountAuthenticator } from "../service-accounts/authenticator.ts";
import type { ServiceAccountTokens } from "../service-accounts/tokens.ts";
import type { ObjectReader } from "../storage/object-reader.ts";

/** Ways to authenticate that a server can have besides those that are always there. */
export interface AuthenticationOptions {
  /** In PEM: authorities whose clients' certificates count, beside the server's own. They sign nothing here. */
  readonly clientAuthorities?: ContentProvider<string> | undefined;
  /** Proxies that say for whom they ask. */
  readonly requestHeader?: ProxyOptions | undefined;
  /** Whether the Secrets of bootstrap tokens let nodes in that are to join. Default: false. */
  readonly bootstrapTokens?: boolean | undefined;
  /** Issuers of tokens, by OpenID Connect. */
  readonly configuration?: ContentProvider<LoadedAuthenticationConfiguration> | undefined;
  /** Who else knows tokens. */
  readonly tokenWebhook?: TokenWebhookOptions | undefined;
  /** Default: every request without credentials is of `system:anonymous`. */
  readonly anonymous?: AnonymousAuth | undefined;
  /** Whether other components of the cluster can read which clients and proxies to trust. Default: false. */
  readonly isPublished?: boolean | undefined;
}

/** Proxies that say for whom they ask, and by what they are known. */
export interface ProxyOptions extends RequestHeaderOptions {
  /** In PEM: who signs the certificates of proxies. */
  readonly clientAuthorities: ContentProvider<string>;
}

interface AuthenticationParts {
  readonly options: AuthenticationOptions;
  /** The server's own. */
  readonly authority: ContentProvider<ClusterAuthority> | undefined;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "access">;
}

/** Loads what not every server needs. */
export async function createAuthentication(parts: AuthenticationParts): Promise<ServerAuthentication> {
  const { configuration } = parts.options;
  if (configuration === undefined) return new ServerAuthentication(parts, undefined);
  const { ConfiguredIssuers } = await import("../authentication/oidc/configured-issuers.ts");
  const { clock, log } = parts;
  const metrics = parts.metrics.access;
  return new ServerAuthentication(parts, new ConfiguredIssuers({ configuration, clock, log, metrics }));
}

/** Authentication as a server has it. */
export class ServerAuthentication implements Disposable {
  readonly options: AuthenticationOptions;
  /** For clients. */
  readonly clients: ClientAuthorities;
  readonly #proxies: ClientAuthorities | undefined;
  readonly #authority: ContentProvider<ClusterAuthority> | undefined;
  readonly #clock: Clock;
  readonly #surroundings: Pick<AuthenticationParts, "clock" | "random" | "log">;
  readonly #issuers: ConfiguredIssuers | undefined;
  readonly #metrics: AuthenticationParts["metrics"]["access"];

  constructor({ options, authority, clock, random, log, metrics }: AuthenticationParts, issuers: ConfiguredIssuers | undefined) {
    this.#surroundings = { clock, random, log };
    this.#issuers = issuers;
    this.#metrics = metrics.access;
    const { clientAuthorities, requestHeader } = options;
    this.options = options;
    this.#authority = authority;
    this.#clock = clock;
    this.clients = new ClientAuthorities([
      ...(authority === undefined ? [] : [certificateOf(authority)]),
      ...(clientAuthorities === undefined ? [] : [clientAuthorities]),
    ]);
    if (requestHeader !== undefined) this.#proxies = new ClientAuthorities([requestHeader.clientAuthorities]);
  }

  /** In PEM: all that a certificate may lead to. */
  get handshakeAuthorities(): readonly string[] {
    return [this.clients.bundle, this.#proxies?.bundle ?? ""].filter((bundle) => bundle !== "");
  }

  /** Calls back when other authorities count. */
  onChange(listener: () => void): Disposable {
    const { clientAuthorities, requestHeader } = this.options;
    const followed = [this.#authority, clientAuthorities, requestHeader?.clientAuthorities].map((source) => source?.subscribe(listener));
    return { [Symbol.dispose]: () => void followed.map((one) => one?.[Symbol.dispose]()) };
  }

  /** @param authenticators the caller's own, which are asked between certificates and tokens */
  authenticator(authenticators: readonly Authenticator[], tokens: ServiceAccountTokens, reader: ObjectReader): Authenticator {
    const { requestHeader, bootstrapTokens, tokenWebhook } = this.options;
    const { apiAudiences } = tokens;
    const metrics = this.#metrics;
    const forThisServer = (authenticate: Authenticator): Authenticator => forAudiences(apiAudiences, authenticate);
    return unionAuthenticator([
      ...(requestHeader === undefined || this.#proxies === undefined
        ? []
        : [requestHeaderAuthenticator(requestHeader, this.#clock, this.#proxies)]),
      clientCertificateAuthenticator(this.#clock, this.clients, metrics),
      ...authenticators.map(forThisServer),
      serviceAccountAuthenticator({ tokens, reader, clock: this.#clock, metrics }),
      ...(bootstrapTokens === true ? [forThisServer(bootstrapTokenAuthenticator(reader, this.#clock))] : []),
      ...(this.#issuers === undefined ? [] : [forThisServer(this.#issuers.authenticator)]),
      ...(tokenWebhook === undefined
        ? []
        : [tokenWebhookAuthenticator(tokenWebhook, { ...this.#surroundings, metrics: metrics.tokens, apiAudiences })]),
    ]);
  }

  [Symbol.dispose](): void {
    this.#issuers?.[Symbol.dispose]();
  }
}

const certificateOf = (authority: ContentProvider<ClusterAuthority>): ContentProvider<string> => ({
  get current() {
    return authority.current.cert;
  },
  subscribe: (listener) => authority.subscribe(({ cert }) => listener(cert)),
});
