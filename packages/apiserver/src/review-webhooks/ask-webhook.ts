/** Asks a webhook for a review, again when that may help. */
import { type Clock, type RandomSource, sleep } from "@coxswain/machinery";
import type { ReviewWebhook, ReviewWebhookAnswer } from "../contracts/review-webhook.ts";

export interface WebhookSurroundings {
  readonly clock: Clock;
  readonly random: Pick<RandomSource, "next">;
}

/** For all tries together. Milliseconds. */
const timeoutMs = 30_000;
/** As kube-apiserver tries: five times, with longer and longer pauses. */
const maxTries = 5;
const firstPauseMs = 500;
const pauseFactor = 1.5;
const jitter = 0.2;

/** The body of a successful answer. @throws Error with what went wrong, without what was sent or answered */
export async function askWebhook(webhook: ReviewWebhook, review: object, { clock, random }: WebhookSurroundings): Promise<Uint8Array> {
  const body = Buffer.from(JSON.stringify(review));
  const late = new AbortController();
  using timer = clock.schedule(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs / 1000} seconds`)));
  timer.unref();
  let pauseMs = firstPauseMs;
  for (let tries = 1; ; tries++) {
    const outcome = await post(webhook, body, late.signal);
    if (outcome instanceof Uint8Array) return outcome;
    if (!outcome.mayHelp || tries === maxTries) throw outcome.error;
    await sleep(clock, pauseMs * (1 + jitter * random.next()), late.signal);
    pauseMs *= pauseFactor;
  }
}

interface Failure {
  readonly error: Error;
  /** Whether another try may go better. */
  readonly mayHelp: boolean;
}

async function post(webhook: ReviewWebhook, body: Uint8Array, signal: AbortSignal): Promise<Uint8Array | Failure> {
  let answer: ReviewWebhookAnswer;
  try {
    answer = await webhook.post(body, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { error: error instanceof Error ? error : new Error(String(error)), mayHelp: isReset(error) };
  }
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) return answer.body;
  const mayHelp = [429, 500, 504].includes(status) || retryAfter !== undefined;
  return { error: new Error(`the webhook answered ${status}`), mayHelp };
}

/** Whether the connection was lost, which a new one may not be. */
function isReset(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ("code" in at && (at.code === "ECONNRESET" || at.code === "EPIPE")) return true;
  }
  return false;
}
