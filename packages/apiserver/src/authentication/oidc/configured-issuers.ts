/** The issuers of an AuthenticationConfiguration, of which another may take its place while the server runs. */
import { type Clock, messageOf, sleep } from "@coxswain/machinery";
import type { ConfigReloadMetrics, IssuerMetrics, TokenCacheMetrics } from "../../contracts/access-metrics.ts";
import type { Authentication, Authenticator } from "../../contracts/authenticator.ts";
import type { ContentProvider } from "../../contracts/content-provider.ts";
import type { Log } from "../../contracts/log.ts";
import { unclaimed } from "../authenticator.ts";
import { bearerToken, invalidToken } from "../bearer-token.ts";
import type { LoadedAuthenticationConfiguration } from "../configuration/load.ts";
import { TokenCache } from "../token-cache.ts";
import { JwtAuthenticator } from "./jwt-authenticator.ts";
import { untrustedIssuer } from "./read-token.ts";

export interface ConfiguredIssuersOptions {
  readonly configuration: ContentProvider<LoadedAuthenticationConfiguration>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: {
    readonly tokens: TokenCacheMetrics;
    readonly issuers: IssuerMetrics;
    readonly authenticationConfig: ConfigReloadMetrics;
  };
}

/** How long the issuers of a new configuration may take to answer before the old one stays. Milliseconds. */
const takeoverMs = 60_000;

export class ConfiguredIssuers implements Disposable {
  readonly #options: ConfiguredIssuersOptions;
  readonly #followed: Disposable;
  readonly #end = new AbortController();
  #current: Issuers;
  #next: Issuers | undefined;

  constructor(options: ConfiguredIssuersOptions) {
    this.#options = options;
    this.#current = new Issuers(options.configuration.current, options);
    const { text } = options.configuration.current;
    if (text !== undefined) options.metrics.authenticationConfig.start(text);
    this.#followed = options.configuration.subscribe((next) => void this.#replace(next));
  }

  readonly authenticator: Authenticator = (request) => {
    const token = bearerToken(request);
    return token === undefined ? unclaimed : this.#current.check(token);
  };

  [Symbol.dispose](): void {
    this.#followed[Symbol.dispose]();
    this.#end.abort(new Error("the server ends"));
    this.#next?.[Symbol.dispose]();
    this.#current[Symbol.dispose]();
  }

  /** Never rejects. The old ones count until each of the new ones can. */
  async #replace(configuration: LoadedAuthenticationConfiguration): Promise<void> {
    const { clock, log, metrics } = this.#options;
    this.#next?.[Symbol.dispose]();
    const next = new Issuers(configuration, this.#options);
    this.#next = next;
    try {
      await readyInTime(next, clock, this.#end.signal);
    } catch (error) {
      next[Symbol.dispose]();
      if (this.#next !== next) return;
      this.#next = undefined;
      if (this.#end.signal.aborted) return;
      metrics.authenticationConfig.fail(clock.now() / 1000);
      log.error({ error: messageOf(error) }, "failed to update the authentication configuration");
      return;
    }
    if (this.#next !== next) return;
    this.#next = undefined;
    this.#current[Symbol.dispose]();
    for (const url of this.#current.urls) if (!next.urls.has(url)) metrics.issuers.forgetKeys(url);
    this.#current = next;
    metrics.authenticationConfig.succeed(configuration.text ?? "", clock.now() / 1000);
    log.info({ issuers: configuration.issuers.length }, "updated the authentication configuration");
  }
}

async function readyInTime({ ready }: Issuers, clock: Clock, signal: AbortSignal): Promise<void> {
  const settled = new AbortController();
  const tooLate = sleep(clock, takeoverMs, AbortSignal.any([signal, settled.signal])).then(() => {
    throw new Error("not every issuer has answered in time");
  });
  try {
    await Promise.race([ready, tooLate]);
  } finally {
    settled.abort();
  }
}

/** The issuers of one configuration. */
class Issuers implements Disposable {
  readonly ready: Promise<unknown>;
  readonly #byUrl: ReadonlyMap<string, JwtAuthenticator>;
  readonly #cache: TokenCache;

  constructor({ issuers, signingAlgorithms }: LoadedAuthenticationConfiguration, { clock, log, metrics }: ConfiguredIssuersOptions) {
    const made = issuers.map((issuer) => new JwtAuthenticator({ issuer, signingAlgorithms, clock, log, metrics: metrics.issuers }));
    this.#byUrl = new Map(made.map((one) => [one.url, one]));
    this.#cache = new TokenCache(clock, metrics.tokens);
    this.ready = Promise.all(made.map(({ ready }) => ready));
    this.ready.catch(() => undefined);
  }

  get urls(): ReadonlySet<string> {
    return new Set(this.#byUrl.keys());
  }

  check(token: string): Authentication | Promise<Authentication> {
    // Whose token it is would be asked of each token of others, too: what cannot be one is not read.
    if (this.#byUrl.size === 0 || !token.startsWith("ey")) return invalidToken;
    const issuer = this.#byUrl.get(untrustedIssuer(token) ?? "");
    return issuer === undefined ? invalidToken : this.#cache.check(token, () => issuer.check(token));
  }

  [Symbol.dispose](): void {
    for (const one of this.#byUrl.values()) one[Symbol.dispose]();
  }
}
