/** Whether tokens are those of an issuer, whose keys are where it says. @see https://openid.net/specs/openid-connect-discovery-1_0.html */
import { type Clock, formatGoStrings, goQuote, messageOf, sleep } from "@coxswain/machinery";
import type { Log } from "../../contracts/log.ts";
import type { Claims } from "./claim-values.ts";
import { fetchDocument } from "./fetch-document.ts";
import { KeySet } from "./key-set.ts";
import { untrustedHeader } from "./read-token.ts";

export interface TokenVerifierOptions {
  /** The issuer. */
  readonly url: string;
  /** Where it says where its keys are, if not below its URL. */
  readonly discoveryUrl: string | undefined;
  /** In PEM. */
  readonly certificateAuthority: string | undefined;
  /** A token must be made out to one of them. */
  readonly audiences: readonly string[];
  readonly signingAlgorithms: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** As of a set of keys; default: nobody wants to know. */
  readonly onFetch?: ((keys: Buffer | undefined) => void) | undefined;
}

/** How often an issuer is asked that cannot be reached. Milliseconds. */
const retryMs = 10_000;
/** How far the clocks of those who issue and those who check may be apart. */
const leewaySeconds = 60;

export class TokenVerifier implements Disposable {
  /** Resolves once the issuer has said where its keys are; rejects when it is disposed of. */
  readonly ready: Promise<void>;
  readonly #options: TokenVerifierOptions;
  readonly #end = new AbortController();
  #keys: KeySet | undefined;

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
    this.ready = this.#discover();
    this.ready.catch(() => undefined);
  }

  /** Whether its issuer has said where its keys are. */
  get isReady(): boolean {
    return this.#keys !== undefined;
  }

  /** Ends what it waits for. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** The claims of a token that names this issuer. @throws Error in Kubernetes' words */
  async verify(token: string): Promise<Claims> {
    if (this.#keys === undefined) throw new Error("oidc: authenticator not initialized");
    const { signingAlgorithms } = this.#options;
    const header = untrustedHeader(token);
    if (!signingAlgorithms.includes(header.alg)) {
      const expected = formatGoStrings(signingAlgorithms);
      throw new Error(`oidc: id token signed with unsupported algorithm, expected ${expected} got ${goQuote(header.alg)}`);
    }
    let payload: Uint8Array;
    try {
      payload = await this.#keys.verify(token, header);
    } catch (error) {
      throw new Error(`failed to verify signature: ${messageOf(error)}`, { cause: error });
    }
    const claims = JSON.parse(Buffer.from(payload).toString()) as Claims;
    this.#checkAudience(claims);
    this.#checkTimes(claims);
    return claims;
  }

  [Symbol.dispose](): void {
    this.#end.abort(new Error("the configuration has changed"));
  }

  #checkAudience({ aud }: Claims): void {
    const { audiences } = this.#options;
    const given = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === "string");
    if (given.some((one) => audiences.includes(one))) return;
    const expected = audiences.length === 1 ? goQuote(audiences[0] ?? "") : `in ${formatGoStrings(audiences.toSorted())}`;
    throw new Error(`oidc: expected audience ${expected} got ${formatGoStrings(given)}`);
  }

  #checkTimes({ exp, nbf }: Claims): void {
    const now = this.#options.clock.now();
    const time = (seconds: number): string => (Math.abs(seconds) < 8e12 ? new Date(seconds * 1000).toISOString() : String(seconds));
    if (typeof exp !== "number" || exp * 1000 < now) {
      throw new Error(`oidc: token is expired (Token Expiry: ${typeof exp === "number" ? time(exp) : "none"})`);
    }
    if (nbf === undefined || nbf === null) return;
    if (typeof nbf !== "number" || now + leewaySeconds * 1000 < nbf * 1000) {
      const from = typeof nbf === "number" ? time(nbf) : "none";
      throw new Error(`oidc: current time ${time(now / 1000)} before the nbf (not before) time: ${from}`);
    }
  }

  async #discover(): Promise<void> {
    const { log, clock, url } = this.#options;
    for (;;) {
      this.#end.signal.throwIfAborted();
      try {
        this.#keys = await this.#readDiscovery();
        return;
      } catch (error) {
        if (this.#end.signal.aborted) throw error;
        log.error({ issuer: url, error: messageOf(error) }, "failed to initialize the authenticator of an issuer");
      }
      await sleep(clock, retryMs, this.#end.signal);
    }
  }

  async #readDiscovery(): Promise<KeySet> {
    const { url, discoveryUrl, certificateAuthority, clock, onFetch } = this.#options;
    const fetch = (at: string): Promise<Buffer> => fetchDocument({ url: at, certificateAuthority, clock, signal: this.#end.signal });
    const at = discoveryUrl ?? `${url.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const found = JSON.parse((await fetch(at)).toString()) as { issuer?: unknown; jwks_uri?: unknown } | null;
    if (found?.issuer !== url) {
      const got = typeof found?.issuer === "string" ? found.issuer : "";
      throw new Error(`oidc: issuer did not match the issuer returned by provider, expected ${goQuote(url)} got ${goQuote(got)}`);
    }
    const { jwks_uri: keys } = found;
    if (typeof keys !== "string" || keys === "") throw new Error("provider did not return JWKS URL");
    return new KeySet({
      fetch: () => fetch(keys),
      onFetch: (fetched) => {
        if (!this.#end.signal.aborted) onFetch?.(fetched);
      },
      clock,
    });
  }
}
