/**
 * A claim that is not in a token itself but with somebody whom the token names.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#AggregatedDistributedClaims
 */
import { goQuote, isObject, messageOf } from "@coxswain/machinery";
import type { Claims } from "./claim-values.ts";
import { untrustedIssuer } from "./read-token.ts";
import type { TokenVerifier } from "./token-verifier.ts";

export interface DistributedClaimsOptions {
  /** The claim that may be elsewhere. */
  readonly claim: string;
  /** Asks for a document, with a bearer token unless it is empty. */
  readonly fetch: (url: string, accessToken: string) => Promise<Buffer>;
  /** Of an issuer that a claim's token names; it begins to ask the issuer where its keys are. */
  readonly createVerifier: (issuer: string) => TokenVerifier;
}

/** A token may name any: each is asked again and again until it answers. */
const maxIssuers = 16;

export class DistributedClaims implements Disposable {
  readonly #options: DistributedClaimsOptions;
  readonly #verifiers = new Map<string, TokenVerifier>();

  constructor(options: DistributedClaimsOptions) {
    this.#options = options;
  }

  /** The claims with the one that is elsewhere. @throws Error in Kubernetes' words */
  async expand(claims: Claims): Promise<Claims> {
    const { claim } = this.#options;
    if (Object.hasOwn(claims, claim) || claims._claim_names === undefined) return claims;
    const source = sourceOf(claims, claim);
    return source === undefined || source.endpoint === "" ? claims : { ...claims, [claim]: await this.#resolve(source) };
  }

  [Symbol.dispose](): void {
    for (const verifier of this.#verifiers.values()) verifier[Symbol.dispose]();
  }

  async #resolve({ endpoint, accessToken }: Source): Promise<unknown> {
    const { claim, fetch } = this.#options;
    const body = await failingAs(`while getting distributed claim ${goQuote(claim)}`, fetch(endpoint, accessToken));
    const token = body.toString().trim();
    const issuer = untrustedIssuer(token);
    if (issuer === undefined) {
      throw new Error(`getting untrusted issuer from endpoint ${endpoint} failed for claim ${goQuote(claim)}: malformed token`);
    }
    const claims = await failingAs("verify distributed claim token", this.#verifierOf(issuer).verify(token));
    if (!Object.hasOwn(claims, claim)) {
      throw new Error(`jwt returned by distributed claim endpoint ${goQuote(endpoint)} did not contain claim: ${claim}`);
    }
    return claims[claim];
  }

  #verifierOf(issuer: string): TokenVerifier {
    let verifier = this.#verifiers.get(issuer);
    if (verifier === undefined && this.#verifiers.size < maxIssuers) {
      verifier = this.#options.createVerifier(issuer);
      this.#verifiers.set(issuer, verifier);
    }
    if (verifier?.isReady === true) return verifier;
    throw new Error(`verifying untrusted issuer ${issuer} failed: verifier not initialized for issuer: ${goQuote(issuer)}`);
  }
}

interface Source {
  readonly endpoint: string;
  readonly accessToken: string;
}

/** Undefined where the claim is nowhere. */
function sourceOf({ _claim_names: names, _claim_sources: sources }: Claims, claim: string): Source | undefined {
  if (!isObject(names) || Object.values(names).some((name) => typeof name !== "string")) {
    throw new Error("oidc: error parsing distributed claim names: they are no texts by the names of claims");
  }
  if (sources === undefined) throw new Error("oidc: no claim sources");
  if (!isObject(sources)) throw new Error("oidc: could not parse claim sources: they are no objects by their names");
  const name = Object.hasOwn(names, claim) ? String(names[claim]) : undefined;
  if (name === undefined) return undefined;
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (!isObject(source)) throw new Error(`id token _claim_names contained a source ${name} missing in _claims_sources`);
  const { endpoint = "", access_token: accessToken = "" } = source;
  if (typeof endpoint !== "string" || typeof accessToken !== "string") {
    throw new Error("oidc: could not parse claim sources: an endpoint or a token is no text");
  }
  return { endpoint, accessToken };
}

/** The error of work that fails says in what. */
export async function failingAs<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
}
