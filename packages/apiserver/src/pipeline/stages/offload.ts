import type { Clock } from "@coxswain/machinery";
import type { Exchange } from "../../contracts/exchange.ts";
import type { Reply } from "../../contracts/http.ts";
import type { Offload } from "../../contracts/offload.ts";
import type { ResourceRequest } from "../../contracts/request-info.ts";
import { isCostlyBody, isOffloadable } from "../../offload/request-cost.ts";
import { OffloadRequired } from "../../request/offload-required.ts";
import type { Stage } from "../stage.ts";
import { requestedTimeout, within } from "./deadline.ts";

export interface OffloadStageOptions {
  readonly offload: Offload;
  readonly clock: Clock;
  /** What no request may take longer than. Milliseconds. */
  readonly maxMs: number;
}

/** Moves requests that would hold up others to another thread: by their body, or once they turn out to cost too much. */
export const offloading = (options: OffloadStageOptions): Stage => ({
  name: "offload",
  wrap: (next) => (exchange) => {
    const { info } = exchange;
    return info.kind === "resource" && exchange.history === undefined && isCostlyBody(exchange, info) && isOffloadable(info)
      ? options.offload.serve(exchange, info)
      : next(exchange);
  },
  recover: (error, exchange) =>
    error instanceof OffloadRequired && exchange.info.kind === "resource" ? again(options, exchange, exchange.info) : undefined,
});

/** Nothing has been changed yet: the request begins again. */
async function again({ offload, clock, maxMs }: OffloadStageOptions, exchange: Exchange, info: ResourceRequest): Promise<Reply> {
  const limitMs = requestedTimeout(info, exchange.query, maxMs);
  const served = offload.serve(exchange, info);
  return limitMs === undefined ? served : within(clock, limitMs, served);
}
