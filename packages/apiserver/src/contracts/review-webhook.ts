/** A webhook that answers reviews: where it is and what the server shows it of itself is for whoever gives it to know. */
export interface ReviewWebhook {
  /** Posts a review in JSON. @throws Error when no answer came */
  post(body: Uint8Array, signal: AbortSignal): Promise<ReviewWebhookAnswer>;
}

/** What a webhook has answered. */
export interface ReviewWebhookAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  /** Undefined without a header of that name. */
  readonly retryAfter: string | undefined;
}
