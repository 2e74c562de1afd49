/** Asks a webhook for a review, again when that may help. */
import { type Clock, type RandomSource, sleep } from "@coxswain/machinery";
import type { ReviewWebhook, ReviewWebhookAnswer } from "../contracts/review-webhook.ts";

export interface WebhookSurroundings {
  readonly clock: Clock;
  readonly random: Pick<RandomSource, "next">;
  /** For each try. Milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  /** Called after each try. */
  readonly onTry?: (outcome: WebhookTry) => void;
}

/** How a try ended. */
export interface WebhookTry {
  readonly result: "success" | "timeout" | "error";
  readonly seconds: number;
}

/** For each try. Milliseconds. */
const defaultTimeoutMs = 30_000;
/** As kube-apiserver tries: five times, with longer and longer pauses. */
const maxTries = 5;
const firstPauseMs = 500;
const pauseFactor = 1.5;
const jitter = 0.2;

/** The body of a successful answer. @throws Error with what went wrong, without what was sent or answered */
export async function askWebhook(webhook: ReviewWebhook, review: object, at: WebhookSurroundings): Promise<Uint8Array> {
  const { clock, random, onTry } = at;
  const body = Buffer.from(JSON.stringify(review));
  let pauseMs = firstPauseMs;
  for (let tries = 1; ; tries++) {
    const startedAt = clock.monotonic();
    const outcome = await post(webhook, body, at);
    onTry?.({ result: resultOf(outcome), seconds: (clock.monotonic() - startedAt) / 1000 });
    if (outcome instanceof Uint8Array) return outcome;
    if (!outcome.mayHelp || tries === maxTries) throw outcome.error;
    await sleep(clock, pauseMs * (1 + jitter * random.next()));
    pauseMs *= pauseFactor;
  }
}

interface Failure {
  readonly error: Error;
  /** Whether another try may go better. */
  readonly mayHelp: boolean;
  readonly isLate: boolean;
}

const resultOf = (outcome: Uint8Array | Failure): WebhookTry["result"] =>
  outcome instanceof Uint8Array ? "success" : outcome.isLate ? "timeout" : "error";

async function post(webhook: ReviewWebhook, body: Uint8Array, at: WebhookSurroundings): Promise<Uint8Array | Failure> {
  const { clock, timeoutMs = defaultTimeoutMs } = at;
  const late = new AbortController();
  using timer = clock.schedule(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs / 1000} seconds`)));
  timer.unref();
  let answer: ReviewWebhookAnswer;
  try {
    answer = await webhook.post(body, late.signal);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const isLate = late.signal.aborted;
    return { error: isLate ? (late.signal.reason as Error) : error, mayHelp: !isLate && isReset(error), isLate };
  }
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) return answer.body;
  const mayHelp = [429, 500, 504].includes(status) || retryAfter !== undefined;
  return { error: new Error(`the webhook answered ${status}`), mayHelp, isLate: status === 504 };
}

/** Whether the connection was lost, which a new one may not be. */
function isReset(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ("code" in at && (at.code === "ECONNRESET" || at.code === "EPIPE")) return true;
  }
  return false;
}
