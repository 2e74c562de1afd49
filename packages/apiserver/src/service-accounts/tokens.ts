/** Service account tokens as JSON Web Tokens, signed and read. The library for them loads with the first one. */
import { isTokenClaims, type TokenClaims } from "./claims.ts";
import { readVerificationKeys, type SigningKey, type VerificationKey } from "./signing-key.ts";

export type Reading =
  | { readonly kind: "ours"; readonly claims: TokenClaims }
  /** Not a token of this issuer: another authenticator may know it. */
  | { readonly kind: "foreign" }
  /** It says that it is ours, and is not. */
  | { readonly kind: "forged"; readonly reason: string };

/** What tokens say of the server that issues them, and whose count beside its own. */
export interface TokenOptions {
  readonly issuer?: string | undefined;
  /** Names that it had before: tokens with these count, too. */
  readonly formerIssuers?: readonly string[] | undefined;
  /** What a token is made out to that is asked for no audience, and to which of them one must be that comes here. Default: the issuer. */
  readonly apiAudiences?: readonly string[] | undefined;
  /** In PEM: keys that other servers of the cluster sign with, or that this one has signed with before. */
  readonly verificationKeys?: readonly string[] | undefined;
}

/** What service account tokens say of who has issued them, unless they are given another name. */
export const defaultIssuer = "https://kubernetes.default.svc.cluster.local";

const foreign: Reading = { kind: "foreign" };

export class ServiceAccountTokens {
  readonly issuer: string;
  readonly key: SigningKey;
  /** By their ids: that of the signing key is among them. */
  readonly keys: ReadonlyMap<string, VerificationKey>;
  readonly #formerIssuers: readonly string[];
  /** What tokens for this server itself are made out to. */
  readonly apiAudiences: readonly string[];

  /** @throws Error for verification keys that cannot be read */
  constructor(key: SigningKey, options: TokenOptions = {}) {
    const { issuer = defaultIssuer, formerIssuers = [], apiAudiences = [issuer, ...formerIssuers], verificationKeys = [] } = options;
    this.#formerIssuers = formerIssuers;
    this.issuer = issuer;
    this.key = key;
    this.keys = new Map([key, ...verificationKeys.flatMap(readVerificationKeys)].map((one) => [one.id, one]));
    this.apiAudiences = apiAudiences;
  }

  #isIssuer(name: unknown): boolean {
    return name === this.issuer || this.#formerIssuers.some((former) => former === name);
  }

  /** A token that names none may be signed with any. */
  #keysNamed(id: unknown): readonly VerificationKey[] {
    if (id === undefined || id === "") return [...this.keys.values()];
    const key = typeof id === "string" ? this.keys.get(id) : undefined;
    return key === undefined ? [] : [key];
  }

  async sign(claims: TokenClaims): Promise<string> {
    const { CompactSign } = await import("jose");
    return new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: this.key.algorithm, kid: this.key.id })
      .sign(this.key.privateKey);
  }

  /** Whose it is and whether the signature is good; times, audiences and objects are for others to check. */
  async read(token: string): Promise<Reading> {
    const [head = "", payload = "", signature, ...more] = token.split(".");
    const claims = jsonOf(payload);
    if (signature === undefined || more.length > 0 || claims === undefined || !this.#isIssuer(claims.iss)) return foreign;
    const kid = jsonOf(head)?.kid;
    const keys = this.#keysNamed(kid);
    if (keys.length === 0) return { kind: "forged", reason: "invalid signature, no keys found" };
    if (!(await isSignedByAny(token, keys))) return { kind: "forged", reason: "go-jose/go-jose: error in cryptographic primitive" };
    return isTokenClaims(claims) ? { kind: "ours", claims } : foreign;
  }
}

async function isSignedByAny(token: string, keys: readonly VerificationKey[]): Promise<boolean> {
  const { compactVerify } = await import("jose");
  for (const key of keys) {
    try {
      await compactVerify(token, key.publicKey, { algorithms: [key.algorithm] });
      return true;
    } catch {
      // Not by this one.
    }
  }
  return false;
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
