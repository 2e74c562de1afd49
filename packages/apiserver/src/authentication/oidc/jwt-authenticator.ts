/**
 * Tokens of one issuer of OpenID Connect.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens
 */
import { type Clock, messageOf } from "@coxswain/machinery";
import type { IssuerMetrics } from "../../contracts/access-metrics.ts";
import type { Log } from "../../contracts/log.ts";
import { authenticated } from "../authenticator.ts";
import type { CompiledIssuer } from "../configuration/compile-issuer.ts";
import type { TokenAnswer } from "../token-cache.ts";
import type { Claims } from "./claim-values.ts";
import { DistributedClaims, failingAs } from "./distributed-claims.ts";
import { fetchDocument } from "./fetch-document.ts";
import { mapClaims } from "./map-claims.ts";
import { TokenVerifier } from "./token-verifier.ts";

export interface JwtAuthenticatorOptions {
  readonly issuer: CompiledIssuer;
  readonly signingAlgorithms: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: IssuerMetrics;
}

/** For how long a token that was good is taken to be good, as with Kubernetes. Milliseconds. */
const goodForMs = 10_000;

export class JwtAuthenticator implements Disposable {
  readonly url: string;
  readonly #options: JwtAuthenticatorOptions;
  readonly #verifier: TokenVerifier;
  /** Undefined where groups are no claim. */
  readonly #distributed: DistributedClaims | undefined;

  constructor(options: JwtAuthenticatorOptions) {
    this.#options = options;
    const { issuer, claimMappings } = options.issuer.configuration;
    this.url = issuer.url;
    const { clock, metrics } = options;
    this.#verifier = this.#createVerifier(issuer.url, issuer.discoveryURL, (keys) =>
      metrics.recordKeys(issuer.url, keys, clock.now() / 1000),
    );
    const { claim = "" } = claimMappings.groups;
    if (claim === "") return;
    this.#distributed = new DistributedClaims({
      claim,
      createVerifier: (url) => this.#createVerifier(url),
      fetch: (url, accessToken) => {
        const { certificateAuthority } = issuer;
        return fetchDocument({ url, accessToken, certificateAuthority, clock: options.clock, signal: this.#verifier.signal });
      },
    });
  }

  /** Resolves once the issuer has said where its keys are; rejects when it is disposed of. */
  get ready(): Promise<void> {
    return this.#verifier.ready;
  }

  /** A token that names this issuer. */
  async check(token: string): Promise<TokenAnswer> {
    const { clock, metrics } = this.#options;
    const startedAt = clock.monotonic();
    const found = await this.#check(token);
    const result = found.answer.kind === "authenticated" ? "success" : "failure";
    metrics.recordToken(this.url, result, (clock.monotonic() - startedAt) / 1000);
    return found;
  }

  async #check(token: string): Promise<TokenAnswer> {
    try {
      const claims = await this.#claimsOf(token);
      const { clock, issuer } = this.#options;
      const untilExpiryMs = Number(claims.exp) * 1000 - clock.now();
      return { answer: authenticated(mapClaims(issuer, claims)), forMs: Math.min(goodForMs, untilExpiryMs) };
    } catch (error) {
      return { answer: { kind: "rejected", reason: messageOf(error) }, forMs: 0 };
    }
  }

  [Symbol.dispose](): void {
    this.#verifier[Symbol.dispose]();
    this.#distributed?.[Symbol.dispose]();
  }

  async #claimsOf(token: string): Promise<Claims> {
    if (!this.#verifier.isReady) throw new Error("oidc: authenticator not initialized");
    const claims = await failingAs("oidc: verify token", this.#verifier.verify(token));
    return this.#distributed === undefined
      ? claims
      : await failingAs("oidc: could not expand distributed claims", this.#distributed.expand(claims));
  }

  #createVerifier(url: string, discoveryUrl?: string, onFetch?: (keys: Buffer | undefined) => void): TokenVerifier {
    const { issuer, signingAlgorithms, clock, log } = this.#options;
    const { certificateAuthority, audiences = [] } = issuer.configuration.issuer;
    return new TokenVerifier({ url, discoveryUrl, certificateAuthority, audiences, signingAlgorithms, clock, log, onFetch });
  }
}
