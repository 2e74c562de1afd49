/** The keys of an issuer, asked for again when a token names one that is not among them. @see https://www.rfc-editor.org/rfc/rfc7517 */
import { type Clock, messageOf } from "@coxswain/machinery";
import type { CryptoKey, JWK } from "jose";

/** Since when keys may be asked for again: tokens with keys that do not exist must not make many requests. Milliseconds. */
const cooldownMs = 1_000;

export interface KeySetOptions {
  /** The body of the key set. */
  readonly fetch: () => Promise<Buffer>;
  /** Called with what was fetched, or with undefined where that are no keys. */
  readonly onFetch: (keys: Buffer | undefined) => void;
  readonly clock: Pick<Clock, "monotonic">;
}

/** What a token says of the key that it was signed with. */
export interface TokenHeader {
  readonly alg: string;
  /** Empty where it does not say. */
  readonly kid: string;
}

export class KeySet {
  readonly #options: KeySetOptions;
  #keys: readonly JWK[] = [];
  readonly #imported = new Map<string, Promise<CryptoKey | Uint8Array>>();
  /** Why there are no newer keys. */
  #failure: Error | undefined;
  #fetched = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(options: KeySetOptions) {
    this.#options = options;
  }

  /** The payload of a token with a good signature. @throws Error in Kubernetes' words */
  async verify(token: string, header: TokenHeader): Promise<Uint8Array> {
    const known = await this.#verifyByKnown(token, header);
    if (known !== undefined) return known;
    if (this.#options.clock.monotonic() - this.#fetched >= cooldownMs) {
      await this.#fetch();
      if (this.#failure !== undefined) throw this.#failure;
      const renewed = await this.#verifyByKnown(token, header);
      if (renewed !== undefined) return renewed;
    }
    throw this.#failure ?? new Error("failed to verify id token signature");
  }

  async #verifyByKnown(token: string, { alg, kid }: TokenHeader): Promise<Uint8Array | undefined> {
    const { compactVerify } = await import("jose");
    for (const jwk of this.#keys) {
      if (kid !== "" && jwk.kid !== kid) continue;
      try {
        const { payload } = await compactVerify(token, await this.#import(jwk, alg), { algorithms: [alg] });
        return payload;
      } catch {
        // A key of another kind, or another's: the next may fit.
      }
    }
    return undefined;
  }

  #import(jwk: JWK, alg: string): Promise<CryptoKey | Uint8Array> {
    const id = `${alg} ${this.#keys.indexOf(jwk)}`;
    let key = this.#imported.get(id);
    if (key === undefined) {
      key = import("jose").then(({ importJWK }) => importJWK(jwk, alg));
      this.#imported.set(id, key);
    }
    return key;
  }

  /** Who comes meanwhile waits for the same answer. */
  #fetch(): Promise<void> {
    this.#fetching ??= this.#read().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    try {
      const body = await this.#options.fetch();
      const { keys } = JSON.parse(body.toString()) as { keys?: unknown };
      if (!Array.isArray(keys)) throw new Error("it has no keys");
      this.#keys = keys.filter(isPublicKey).slice(0, maxKeys);
      this.#imported.clear();
      this.#failure = undefined;
      this.#options.onFetch(body);
    } catch (error) {
      this.#options.onFetch(undefined);
      this.#failure = new Error(`fetching keys oidc: get keys failed ${messageOf(error)}`, { cause: error });
    } finally {
      this.#fetched = this.#options.clock.monotonic();
    }
  }
}

/** Each costs a signature for tokens that name none. */
const maxKeys = 100;

/** A shared secret is none: whoever could read the set could sign. */
const isPublicKey = (key: unknown): key is JWK =>
  typeof key === "object" && key !== null && "kty" in key && (key.kty === "RSA" || key.kty === "EC" || key.kty === "OKP");
