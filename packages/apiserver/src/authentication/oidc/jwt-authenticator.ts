/**
 * Tokens of one issuer of OpenID Connect.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens
 */
import { type Clock, formatGoStrings, goQuote, messageOf, sleep } from "@coxswain/machinery";
import type { Authentication } from "../../contracts/authenticator.ts";
import type { Log } from "../../contracts/log.ts";
import { authenticated } from "../authenticator.ts";
import type { CompiledIssuer } from "../configuration/compile-issuer.ts";
import type { TokenAnswer } from "../token-cache.ts";
import type { Claims } from "./claim-values.ts";
import { fetchDocument } from "./fetch-document.ts";
import { KeySet } from "./key-set.ts";
import { mapClaims } from "./map-claims.ts";
import { untrustedHeader } from "./read-token.ts";

export interface JwtAuthenticatorOptions {
  readonly issuer: CompiledIssuer;
  readonly signingAlgorithms: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** How often an issuer is asked that cannot be reached. Milliseconds. */
const retryMs = 10_000;
/** For how long a token that was good is taken to be good, as with Kubernetes. Milliseconds. */
const goodForMs = 10_000;
/** How far the clocks of those who issue and those who check may be apart. */
const leewaySeconds = 60;

export class JwtAuthenticator implements Disposable {
  readonly url: string;
  /** Resolves once the issuer has said where its keys are; rejects when it is disposed of. */
  readonly ready: Promise<void>;
  readonly #options: JwtAuthenticatorOptions;
  readonly #end = new AbortController();
  #keys: KeySet | undefined;

  constructor(options: JwtAuthenticatorOptions) {
    this.#options = options;
    this.url = options.issuer.configuration.issuer.url;
    this.ready = this.#discover();
    this.ready.catch(() => undefined);
  }

  /** Whether its issuer has said where its keys are. */
  get isReady(): boolean {
    return this.#keys !== undefined;
  }

  /** A token that names this issuer. */
  async check(token: string): Promise<TokenAnswer> {
    try {
      const claims = await this.#verify(token);
      const { clock, issuer } = this.#options;
      const untilExpiryMs = Number(claims.exp) * 1000 - clock.now();
      return { answer: authenticated(mapClaims(issuer, claims)), forMs: Math.min(goodForMs, untilExpiryMs) };
    } catch (error) {
      const answer: Authentication = { kind: "rejected", reason: messageOf(error) };
      return { answer, forMs: 0 };
    }
  }

  [Symbol.dispose](): void {
    this.#end.abort(new Error("the configuration has changed"));
  }

  async #verify(token: string): Promise<Claims> {
    if (this.#keys === undefined) throw new Error("oidc: authenticator not initialized");
    const { signingAlgorithms } = this.#options;
    const header = untrustedHeader(token);
    if (!signingAlgorithms.includes(header.alg)) {
      const expected = formatGoStrings(signingAlgorithms);
      throw new Error(
        `oidc: verify token: oidc: id token signed with unsupported algorithm, expected ${expected} got ${goQuote(header.alg)}`,
      );
    }
    let payload: Uint8Array;
    try {
      payload = await this.#keys.verify(token, header);
    } catch (error) {
      throw new Error(`oidc: verify token: failed to verify signature: ${messageOf(error)}`, { cause: error });
    }
    const claims = JSON.parse(Buffer.from(payload).toString()) as Claims;
    this.#checkAudience(claims);
    this.#checkTimes(claims);
    return claims;
  }

  #checkAudience({ aud }: Claims): void {
    const { audiences = [] } = this.#options.issuer.configuration.issuer;
    const given = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === "string");
    if (given.some((one) => audiences.includes(one))) return;
    const expected = audiences.length === 1 ? goQuote(audiences[0] ?? "") : formatGoStrings(audiences.toSorted());
    throw new Error(
      `oidc: verify token: oidc: expected audience ${audiences.length === 1 ? "" : "in "}${expected} got ${formatGoStrings(given)}`,
    );
  }

  #checkTimes({ exp, nbf }: Claims): void {
    const now = this.#options.clock.now();
    const time = (seconds: number): string => (Math.abs(seconds) < 8e12 ? new Date(seconds * 1000).toISOString() : String(seconds));
    if (typeof exp !== "number" || exp * 1000 < now) {
      throw new Error(`oidc: verify token: oidc: token is expired (Token Expiry: ${typeof exp === "number" ? time(exp) : "none"})`);
    }
    if (nbf === undefined || nbf === null) return;
    if (typeof nbf !== "number" || now + leewaySeconds * 1000 < nbf * 1000) {
      const from = typeof nbf === "number" ? time(nbf) : "none";
      throw new Error(`oidc: verify token: oidc: current time ${time(now / 1000)} before the nbf (not before) time: ${from}`);
    }
  }

  async #discover(): Promise<void> {
    const { log, clock } = this.#options;
    for (;;) {
      this.#end.signal.throwIfAborted();
      try {
        this.#keys = await this.#readDiscovery();
        return;
      } catch (error) {
        if (this.#end.signal.aborted) throw error;
        log.error({ issuer: this.url, error: messageOf(error) }, "failed to initialize the authenticator of an issuer");
      }
      await sleep(clock, retryMs, this.#end.signal);
    }
  }

  async #readDiscovery(): Promise<KeySet> {
    const { issuer } = this.#options.issuer.configuration;
    const at = issuer.discoveryURL ?? `${issuer.url.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const { clock } = this.#options;
    const fetch = (url: string): Promise<Buffer> =>
      fetchDocument({ url, certificateAuthority: issuer.certificateAuthority, clock, signal: this.#end.signal });
    const found = JSON.parse((await fetch(at)).toString()) as { issuer?: unknown; jwks_uri?: unknown } | null;
    if (found?.issuer !== issuer.url) {
      const got = typeof found?.issuer === "string" ? found.issuer : "";
      throw new Error(`oidc: issuer did not match the issuer returned by provider, expected ${goQuote(issuer.url)} got ${goQuote(got)}`);
    }
    const { jwks_uri: keys } = found;
    if (typeof keys !== "string" || keys === "") throw new Error("provider did not return JWKS URL");
    return new KeySet({ fetch: () => fetch(keys), clock });
  }
}
