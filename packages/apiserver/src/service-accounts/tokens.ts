/** Service account tokens as JSON Web Tokens, signed and read. The library for them loads with the first one. */
import { isTokenClaims, type TokenClaims } from "./claims.ts";
import type { SigningKey } from "./signing-key.ts";

export const algorithm = "ES256";

export type Reading =
  | { readonly kind: "ours"; readonly claims: TokenClaims }
  /** Not a token of this issuer: another authenticator may know it. */
  | { readonly kind: "foreign" }
  /** It says that it is ours, and is not. */
  | { readonly kind: "forged"; readonly reason: string };

/** What tokens say of the server that issues them. */
export interface TokenNames {
  readonly issuer?: string | undefined;
  /** Names that it had before: tokens with these count, too. */
  readonly formerIssuers?: readonly string[] | undefined;
  /** What a token is made out to that is asked for no audience, and to which of them one must be that comes here. Default: the issuer. */
  readonly apiAudiences?: readonly string[] | undefined;
}

/** What service account tokens say of who has issued them, unless they are given another name. */
export const defaultIssuer = "https://kubernetes.default.svc.cluster.local";

const foreign: Reading = { kind: "foreign" };

export class ServiceAccountTokens {
  readonly issuer: string;
  readonly key: SigningKey;
  readonly #formerIssuers: readonly string[];
  /** What tokens for this server itself are made out to. */
  readonly apiAudiences: readonly string[];

  constructor(key: SigningKey, { issuer = defaultIssuer, formerIssuers = [], apiAudiences = [issuer, ...formerIssuers] }: TokenNames = {}) {
    this.#formerIssuers = formerIssuers;
    this.issuer = issuer;
    this.key = key;
    this.apiAudiences = apiAudiences;
  }

  #isIssuer(name: unknown): boolean {
    return name === this.issuer || this.#formerIssuers.some((former) => former === name);
  }

  async sign(claims: TokenClaims): Promise<string> {
    const { CompactSign } = await import("jose");
    return new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: algorithm, kid: this.key.id })
      .sign(this.key.privateKey);
  }

  /** Whose it is and whether the signature is good; times, audiences and objects are for others to check. */
  async read(token: string): Promise<Reading> {
    const [head = "", payload = "", signature, ...more] = token.split(".");
    const claims = jsonOf(payload);
    if (signature === undefined || more.length > 0 || claims === undefined || !this.#isIssuer(claims.iss)) return foreign;
    const kid = jsonOf(head)?.kid;
    if (kid !== undefined && kid !== "" && kid !== this.key.id) return { kind: "forged", reason: "invalid signature, no keys found" };
    const { compactVerify } = await import("jose");
    try {
      await compactVerify(token, this.key.publicKey, { algorithms: [algorithm] });
    } catch {
      return { kind: "forged", reason: "go-jose/go-jose: error in cryptographic primitive" };
    }
    return isTokenClaims(claims) ? { kind: "ours", claims } : foreign;
  }
}

/** A part of a token, if it is an object at all. */
function jsonOf(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
