/** `?timeout=` bounds how long the answer to a request may take. Watches and open-ended connections have no such bound. */
import { badRequest, type Clock, parseGoDuration, sleep, timeout } from "@coxswain/machinery";
import type { RequestInfo } from "../../contracts/request-info.ts";
import { isLongRunning } from "../../request/long-running.ts";
import type { Stage } from "../stage.ts";

export interface DeadlineOptions {
  readonly clock: Clock;
  /** What no client can exceed. Milliseconds. */
  readonly maxMs: number;
}

export const deadline = ({ clock, maxMs }: DeadlineOptions): Stage => ({
  name: "deadline",
  wrap: (next) => (exchange) => {
    const limitMs = requestedTimeout(exchange.info, exchange.query, maxMs);
    return limitMs === undefined ? next(exchange) : within(clock, limitMs, next(exchange));
  },
});

/** Milliseconds; undefined where the client sets no bound. @throws badRequest() for what is no duration */
export function requestedTimeout(info: RequestInfo, query: URLSearchParams, maxMs: number): number | undefined {
  if (query.size === 0) return undefined;
  const asked = query.get("timeout");
  if (asked === null || asked === "") return undefined;
  if (isLongRunning(info)) return undefined;
  const duration = parseGoDuration(asked);
  if (typeof duration === "string") throw badRequest(`invalid timeout specified in the request URL - ${duration}`);
  return duration > 0 ? Math.min(duration, maxMs) : undefined;
}

/** @throws timeout() when the work is not done by then; it goes on unobserved. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = sleep(clock, ms, done.signal).then(() => {
    throw timeout("request did not complete within the allotted timeout");
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
