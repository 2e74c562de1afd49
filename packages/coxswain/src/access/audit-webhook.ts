/** Sends events to a webhook, as an EventList. */
import type { ReviewWebhook } from "@coxswain/apiserver";
import { type Clock, type RandomSource, sleep } from "@coxswain/machinery";
import type { AuditDelivery } from "./audit-backend.ts";

interface Surroundings {
  readonly clock: Clock;
  readonly random: Pick<RandomSource, "next">;
  readonly initialBackoffMs: number;
  /** Once aborted, what fails is not sent again. */
  readonly signal: AbortSignal;
}

/** As kube-apiserver: five times, with longer and longer pauses, whatever was wrong. */
const maxTries = 5;
const pauseFactor = 1.5;
const jitter = 0.2;
const timeoutMs = 30_000;

/** The list says once what kind and version all of its items have. */
const itemStart = '{"kind":"Event","apiVersion":"audit.k8s.io/v1",';

/** The body of one request. @param events lines */
export const eventListJson = (events: readonly string[]): string =>
  `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${events.map(itemJson).join(",")}]}\n`;

const itemJson = (line: string): string => (line.startsWith(itemStart) ? `{${line.slice(itemStart.length, -1)}` : line.slice(0, -1));

/** @throws Error where it was not taken at any try */
export function webhookDelivery(webhook: ReviewWebhook, at: Surroundings): AuditDelivery {
  const { clock, random, initialBackoffMs, signal } = at;
  return {
    name: "webhook",
    async deliver(events) {
      const body = Buffer.from(eventListJson(events));
      let pauseMs = initialBackoffMs;
      for (let tries = 1; ; tries++) {
        const failure = await post(webhook, body, clock);
        if (failure === undefined) return;
        if (tries === maxTries || signal.aborted) throw failure;
        await untilAborted(sleep(clock, pauseMs * (1 + jitter * random.next()), signal), signal);
        pauseMs *= pauseFactor;
      }
    },
  };
}

/** Undefined where it was taken. */
async function post(webhook: ReviewWebhook, body: Uint8Array, clock: Clock): Promise<Error | undefined> {
  const late = new AbortController();
  using timer = clock.schedule(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs / 1000} seconds`)));
  timer.unref();
  try {
    const { status } = await webhook.post(body, late.signal);
    return status >= 200 && status < 300 ? undefined : new Error(`the webhook answered ${status}`);
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

/** At the end of the process one more try is made at once. */
async function untilAborted(sleeping: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await sleeping;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
