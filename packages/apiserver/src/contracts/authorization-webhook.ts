/** A webhook that is asked who may do what. */
import type { AuthorizationAttributes } from "./authorizer.ts";
import type { ReviewWebhook } from "./review-webhook.ts";

/** What conditions say of a request. */
export type AuthorizationMatch =
  | { readonly kind: "matches" }
  /** The webhook is not asked. */
  | { readonly kind: "excluded" }
  /** It is not known whether to ask the webhook. */
  | { readonly kind: "failed"; readonly errors: readonly string[] };

/** Whether a webhook is asked about a request. */
export type AuthorizationMatchConditions = (attributes: AuthorizationAttributes) => AuthorizationMatch;

/** Which webhook is asked, and how. */
export interface AuthorizationWebhookOptions {
  readonly webhook: ReviewWebhook;
  /** Of the SubjectAccessReviews that it is sent. */
  readonly version: "v1" | "v1beta1";
  /** For one try. Milliseconds. */
  readonly timeoutMs: number;
  /** For how long it counts that something is allowed. Milliseconds; 0 for not at all. */
  readonly authorizedMs: number;
  /** For how long it counts that it is not. Milliseconds; 0 for not at all. */
  readonly unauthorizedMs: number;
  /** What a webhook that cannot be asked comes to, and conditions that cannot be evaluated. */
  readonly onFailure: "noOpinion" | "deny";
  /** Which requests it is asked about; all without. */
  readonly matches?: AuthorizationMatchConditions | undefined;
}
