/**
 * A webhook that is asked who may do what.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/webhook/
 */
import { isObject, messageOf } from "@coxswain/machinery";
import type { AuthorizationAttributes, Authorizer, Decision } from "../contracts/authorizer.ts";
import type { Log } from "../contracts/log.ts";
import type { ReviewWebhook } from "../contracts/review-webhook.ts";
import { askWebhook, type WebhookSurroundings } from "../review-webhooks/ask-webhook.ts";
import { DecisionCache } from "./decision-cache.ts";
import { reviewSpecOf } from "./review-spec.ts";

/** Which webhook is asked, and how. */
export interface AuthorizationWebhookOptions {
  readonly webhook: ReviewWebhook;
  /** Of the SubjectAccessReviews that it is sent. */
  readonly version: "v1" | "v1beta1";
  /** For how long it counts that something is allowed. Milliseconds. */
  readonly authorizedMs: number;
  /** For how long it counts that it is not. Milliseconds. */
  readonly unauthorizedMs: number;
  /** What a webhook that cannot be asked comes to. */
  readonly onFailure: "noOpinion" | "deny";
}

interface Surroundings extends WebhookSurroundings {
  readonly log: Log;
}

/** Longer attributes, which clients choose, are not remembered. Characters. */
const maxRememberedLength = 10_000;

/** To be asked after what decides at once: it may be far away. A failure is not remembered. */
export function webhookAuthorizer(options: AuthorizationWebhookOptions, at: Surroundings): Authorizer {
  const cache = new DecisionCache(at.clock);
  const apiVersion = `authorization.k8s.io/${options.version}`;
  return (attributes) => {
    const spec = reviewSpecOf(attributes, options.version);
    const key = JSON.stringify(spec);
    return cache.get(key) ?? ask(spec, isShort(attributes) ? key : undefined);
  };

  async function ask(spec: object, key: string | undefined): Promise<Decision> {
    try {
      const review = { kind: "SubjectAccessReview", apiVersion, metadata: {}, spec, status: { allowed: false } };
      const { decision, allowed } = answerIn(await askWebhook(options.webhook, review, at), apiVersion);
      if (key !== undefined) cache.set(key, decision, allowed ? options.authorizedMs : options.unauthorizedMs);
      return decision;
    } catch (error) {
      at.log.error({ error: messageOf(error) }, "failed to ask the webhook for authorization");
      return { kind: options.onFailure, reason: "" };
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
  // Who says both has denied.
  return { decision: { kind: denied ? "deny" : allowed ? "allow" : "noOpinion", reason }, allowed };
}
