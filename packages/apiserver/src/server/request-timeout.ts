/** What takes longer than `--request-timeout`. */
import { type Clock, type StatusError, timeout } from "@coxswain/machinery";
import type { HttpHandler, HttpRequest, Reply } from "../contracts/http.ts";
import type { Log } from "../contracts/log.ts";
import { Deadlines } from "../http/deadlines.ts";
import { bytesReply, discard } from "../http/exchange.ts";
import { isLongRunning } from "../request/long-running.ts";
import { parseRequest } from "../request/request-info.ts";

/** Watches are known by their answers. */
export function isLongRunningRequest({ method, path }: Pick<HttpRequest, "method" | "path">): boolean {
  try {
    return isLongRunning(parseRequest(method, path, false));
  } catch {
    // No path of a resource.
    return false;
  }
}

/** What is answered instead. */
export const timedOut = (): Reply => statusReply(timeout("request did not complete within the allotted timeout"));

/** For what is rejected before the form that the client accepts is known. */
const statusReply = ({ code, status }: StatusError): Reply =>
  bytesReply(code, "application/json", Buffer.from(`${JSON.stringify(status)}\n`));

export interface RequestTimeoutOptions {
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
}

/**
 * The handler for requests that come by no port, whose listener would bound them: those of components in the same process. They are given up when the time has passed twice: what
 * ends in time by itself does so first, and a clock that jumps ends nothing that has just begun.
 */
export function withRequestTimeout(handler: HttpHandler, { requestTimeoutMs, clock, log }: RequestTimeoutOptions): HttpHandler {
  const deadlines = new Deadlines(clock, requestTimeoutMs, { keepsTimer: false });
  return (request, body) =>
    new Promise((resolve, reject) => {
      let isLate = false;
      const giveUp = (): void => {
        const { method, path } = request;
        if (isLongRunningRequest(request)) return;
        isLate = true;
        log.warn({ method, path }, "a request within the process did not complete in time");
        resolve(timedOut());
      };
      let deadline = deadlines.set(() => {
        deadline = deadlines.set(giveUp);
      });
      handler(request, body).then(
        (reply) => {
          deadline.cancel();
          if (isLate) discard(reply);
          else resolve(reply);
        },
        (error: unknown) => {
          deadline.cancel();
          reject(error);
        },
      );
    });
}
