/**
 * Bearer tokens that a webhook knows.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication
 */
import { isObject, messageOf } from "@coxswain/machinery";
import type { TokenCacheMetrics } from "../contracts/access-metrics.ts";
import type { Authentication, Authenticator } from "../contracts/authenticator.ts";
import type { Log } from "../contracts/log.ts";
import type { ReviewWebhook } from "../contracts/review-webhook.ts";
import { askWebhook, type WebhookSurroundings } from "../review-webhooks/ask-webhook.ts";
import { authenticated, unclaimed } from "./authenticator.ts";
import { bearerToken, invalidToken } from "./bearer-token.ts";
import { type TokenAnswer, TokenCache } from "./token-cache.ts";

/** Which webhook is asked about tokens, and how. */
export interface TokenWebhookOptions {
  readonly webhook: ReviewWebhook;
  /** Of the TokenReviews that it is sent. */
  readonly version: "v1" | "v1beta1";
  /** For how long an answer counts, whatever it is. Milliseconds. */
  readonly cacheMs: number;
}

interface Surroundings extends WebhookSurroundings {
  readonly log: Log;
  readonly metrics: TokenCacheMetrics;
  /** To which a token must be made out that comes here. */
  readonly apiAudiences: readonly string[];
}

/** To be asked last: it may be far away. A webhook that does not answer knows nobody, which is not remembered. */
export function tokenWebhookAuthenticator({ webhook, version, cacheMs }: TokenWebhookOptions, at: Surroundings): Authenticator {
  const cache = new TokenCache(at.clock, at.metrics);
  const apiVersion = `authentication.k8s.io/${version}`;
  return (request) => {
    const token = bearerToken(request);
    if (token === undefined) return unclaimed;
    const audiences = request.audiences ?? at.apiAudiences;
    return cache.check(token, () => ask(token, audiences), request.audiences);
  };

  async function ask(token: string, audiences: readonly string[]): Promise<TokenAnswer> {
    try {
      const review = { kind: "TokenReview", apiVersion, metadata: {}, spec: { token, audiences }, status: { user: {} } };
      const answer = await askWebhook(webhook, review, at);
      const known = authenticationOf(statusIn(answer, apiVersion), audiences, at.apiAudiences);
      return { answer: known.kind === "rejected" ? withoutToken(known, token) : known, forMs: cacheMs };
    } catch (error) {
      const reason = messageOf(error);
      at.log.error({ error: reason }, "failed to ask the webhook for tokens");
      return { answer: { kind: "rejected", reason }, forMs: 0 };
    }
  }
}

/** A webhook may repeat what it was asked, and reasons are logged. */
const withoutToken = ({ kind, reason }: Extract<Authentication, { kind: "rejected" }>, token: string): Authentication => ({
  kind,
  reason: reason.replaceAll(token, "<token>"),
});

type Json = Readonly<Record<string, unknown>>;

/** @throws Error for what is no TokenReview of the version that was sent */
function statusIn(answer: Uint8Array, apiVersion: string): Json {
  let review: unknown;
  try {
    review = JSON.parse(Buffer.from(answer).toString());
  } catch {
    throw new Error("the webhook did not answer with JSON");
  }
  if (!isObject(review) || review.kind !== "TokenReview" || review.apiVersion !== apiVersion) {
    throw new Error(`the webhook did not answer with a TokenReview of ${apiVersion}`);
  }
  return isObject(review.status) ? review.status : {};
}

function authenticationOf(status: Json, wanted: readonly string[], apiAudiences: readonly string[]): Authentication {
  const named = stringsIn(status.audiences, "audiences");
  const audiences = wanted.filter((audience) => (named.length > 0 ? named : apiAudiences).includes(audience));
  if (audiences.length === 0) return invalidToken;
  const { error } = status;
  if (status.authenticated !== true) {
    return typeof error === "string" && error !== "" ? { kind: "rejected", reason: error } : invalidToken;
  }
  const user = isObject(status.user) ? status.user : {};
  const { username = "", uid = "" } = user;
  if (typeof username !== "string" || typeof uid !== "string") throw new Error("the webhook answered with a user whose name is no text");
  const extra = isObject(user.extra) ? Object.entries(user.extra) : [];
  const known = authenticated({
    name: username,
    uid,
    groups: stringsIn(user.groups, "groups"),
    extra: Object.fromEntries(extra.map(([key, values]) => [key, stringsIn(values, "extra")])),
  });
  return known.kind === "authenticated" ? { ...known, audiences } : known;
}

/** @throws Error for what is no list of texts */
function stringsIn(value: unknown, what: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) {
    throw new Error(`the webhook answered with ${what} that are no list of texts`);
  }
  return value;
}
