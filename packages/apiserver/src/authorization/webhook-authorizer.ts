/**
 * A webhook that is asked who may do what.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/webhook/
 */
import { isObject, messageOf } from "@coxswain/machinery";
import type { AuthorizationMatch, AuthorizationMatchConditions, AuthorizationWebhookOptions } from "../contracts/authorization-webhook.ts";
import type { AuthorizationAttributes, Authorizer, Decision } from "../contracts/authorizer.ts";
import type { Log } from "../contracts/log.ts";
import type { AuthorizationMetrics } from "../contracts/metrics.ts";
import { askWebhook, type WebhookSurroundings, type WebhookTry } from "../review-webhooks/ask-webhook.ts";
import { DecisionCache } from "./decision-cache.ts";
import { aggregate } from "./rbac/rbac-authorizer.ts";
import { reviewSpecOf } from "./review-spec.ts";

interface Surroundings extends Omit<WebhookSurroundings, "timeoutMs" | "onTry"> {
  readonly log: Log;
  /** As metrics call the webhook. */
  readonly name: string;
  readonly metrics: AuthorizationMetrics;
}

/** Longer attributes, which clients choose, are not remembered. Characters. */
const maxRememberedLength = 10_000;

const noOpinion: Decision = { kind: "noOpinion", reason: "" };

/** To be asked after what decides at once: it may be far away. A failure is not remembered. */
export function webhookAuthorizer(options: AuthorizationWebhookOptions, at: Surroundings): Authorizer {
  const { webhook, version, timeoutMs, onFailure, matches } = options;
  const cache = new DecisionCache(at.clock);
  const apiVersion = `authorization.k8s.io/${version}`;
  const failed = (error: string): Decision => ({ kind: onFailure, reason: "", error });
  return (attributes) => {
    if (matches !== undefined) {
      const match = matched(matches, attributes);
      if (match.kind === "excluded") return noOpinion;
      if (match.kind === "failed") return failed(aggregate(match.errors));
    }
    const spec = reviewSpecOf(attributes, version);
    const key = JSON.stringify(spec);
    return cache.get(key) ?? ask(spec, isShort(attributes) ? key : undefined);
  };

  function matched(matches: AuthorizationMatchConditions, attributes: AuthorizationAttributes): AuthorizationMatch {
    const startedAt = at.clock.monotonic();
    const match = matches(attributes);
    at.metrics.count({ type: "match", name: at.name, outcome: match.kind, seconds: (at.clock.monotonic() - startedAt) / 1000 });
    if (match.kind === "failed")
      at.log.error({ webhook: at.name, errors: match.errors }, "failed to evaluate the conditions of a webhook for authorization");
    return match;
  }

  async function ask(spec: object, key: string | undefined): Promise<Decision> {
    let last: WebhookTry["result"] = "error";
    const onTry = ({ result, seconds }: WebhookTry): void => {
      last = result;
      at.metrics.count({ type: "evaluation", name: at.name, result, seconds });
    };
    try {
      const review = { kind: "SubjectAccessReview", apiVersion, metadata: {}, spec, status: { allowed: false } };
      const { decision, allowed } = answerIn(await askWebhook(webhook, review, { ...at, timeoutMs, onTry }), apiVersion);
      if (key !== undefined) cache.set(key, decision, allowed ? options.authorizedMs : options.unauthorizedMs);
      return decision;
    } catch (error) {
      const message = messageOf(error);
      at.log.error({ webhook: at.name, error: message }, "failed to ask the webhook for authorization");
      if (onFailure === "noOpinion") at.metrics.count({ type: "fail open", name: at.name, result: last });
      return failed(message);
    }
  }
}

function isShort(attributes: AuthorizationAttributes): boolean {
  const texts =
    attributes.kind === "path"
      ? [attributes.path]
      : [attributes.namespace, attributes.group, attributes.version, attributes.resource, attributes.subresource, attributes.name];
  return texts.reduce((length, text) => length + text.length, attributes.verb.length) < maxRememberedLength;
}

const saidBoth = "webhook subject access review returned both allow and deny response";

interface Answer {
  readonly decision: Decision;
  readonly allowed: boolean;
}

/** @throws Error for what is no SubjectAccessReview of the version that was sent */
function answerIn(body: Uint8Array, apiVersion: string): Answer {
  let review: unknown;
  try {
    review = JSON.parse(Buffer.from(body).toString());
  } catch {
    throw new Error("the webhook did not answer with JSON");
  }
  if (!isObject(review) || review.kind !== "SubjectAccessReview" || review.apiVersion !== apiVersion) {
    throw new Error(`the webhook did not answer with a SubjectAccessReview of ${apiVersion}`);
  }
  const status = review.status ?? {};
  if (!isObject(status)) throw new Error("the webhook answered with a status that is no object");
  const { allowed = false, denied = false, reason = "" } = status;
  if (typeof allowed !== "boolean" || typeof denied !== "boolean" || typeof reason !== "string") {
    throw new Error("the webhook answered with a status that cannot be read");
  }
  if (denied && allowed) return { decision: { kind: "deny", reason, error: saidBoth }, allowed };
  return { decision: { kind: denied ? "deny" : allowed ? "allow" : "noOpinion", reason }, allowed };
}
