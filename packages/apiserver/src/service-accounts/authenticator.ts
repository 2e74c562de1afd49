/** Bearer tokens that this server issued itself. */
import { hash } from "node:crypto";
import type { Clock } from "@coxswain/machinery";
import { unclaimed } from "../authentication/authenticator.ts";
import { bearerToken, invalidToken } from "../authentication/bearer-token.ts";
import type { AccessMetrics, TokenCacheMetrics } from "../contracts/access-metrics.ts";
import type { Authentication, Authenticator } from "../contracts/authenticator.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { ProvenToken, rejected } from "./proven-token.ts";
import type { ServiceAccountTokens } from "./tokens.ts";

/** Each about a kilobyte. */
const maxRemembered = 4096;

interface ServiceAccountParts {
  readonly tokens: ServiceAccountTokens;
  readonly reader: ObjectReader;
  readonly clock: Clock;
  readonly metrics: Pick<AccessMetrics, "recordServiceAccountToken"> & { readonly tokens: TokenCacheMetrics };
}

/**
 * A signature is checked once for each token, by whose digest the outcome is kept; everything that may end a token is
 * checked with every request, so that it ends at once.
 */
export function serviceAccountAuthenticator({ tokens, reader, clock, metrics }: ServiceAccountParts): Authenticator {
  const proven = new Map<string, ProvenToken>();
  return (request) => {
    const token = bearerToken(request);
    if (token === undefined) return unclaimed;
    return isLikeOurs(token) ? check(token, request.audiences) : invalidToken;
  };

  async function check(token: string, asked: readonly string[] | undefined): Promise<Authentication> {
    const digest = hash("sha256", token, "base64url");
    let known = proven.get(digest);
    if (known === undefined) {
      const startedAt = clock.monotonic();
      const reading = await tokens.read(token);
      if (reading.kind === "foreign") return invalidToken;
      metrics.tokens.fetched[reading.kind === "forged" ? "error" : "ok"]++;
      metrics.tokens.recordMiss((clock.monotonic() - startedAt) / 1000);
      if (reading.kind === "forged") return rejected(reading.reason);
      known = new ProvenToken(reading.claims, reader, clock);
      remember(digest, known);
    } else metrics.tokens.recordHit();
    const { audiences } = known;
    const wanted = asked ?? tokens.apiAudiences;
    const shared = wanted.filter((audience) => audiences.includes(audience));
    if (shared.length === 0) {
      return rejected(`token audiences ${list(audiences)} is invalid for the target audiences ${list(wanted)}`);
    }
    const answer = await known.check();
    if (known.isOver(clock.now())) proven.delete(digest);
    const renewal = answer.kind === "authenticated" ? known.renewal(clock.now()) : undefined;
    if (renewal !== undefined) metrics.recordServiceAccountToken(renewal === "overdue");
    return answer.kind === "authenticated" && asked !== undefined ? { ...answer, audiences: shared } : answer;
  }

  function remember(digest: string, token: ProvenToken): void {
    const [oldest] = proven.size >= maxRemembered ? proven.keys() : [];
    if (oldest !== undefined) proven.delete(oldest);
    proven.set(digest, token);
  }
}

/** Three parts, the first of them an object: nothing else is read any further. */
const isLikeOurs = (token: string): boolean => token.startsWith("eyJ") && token.indexOf(".") !== token.lastIndexOf(".");

/** As Go's %q writes lists. */
const list = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
