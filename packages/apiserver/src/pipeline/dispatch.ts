import type { Exchange } from "../contracts/exchange.ts";
import type { HistoryReport } from "../contracts/history-report.ts";
import type { Reply } from "../contracts/http.ts";
import type { PathRequest, ResourceRequest } from "../contracts/request-info.ts";
import type { Next } from "./stage.ts";

export interface DispatchOptions {
  readonly serveResource: (exchange: Exchange, info: ResourceRequest) => Promise<Reply>;
  /** What is asked about the past of a resource. */
  readonly serveHistory: (exchange: Exchange, info: ResourceRequest, report: HistoryReport) => Promise<Reply>;
  readonly servePath: (exchange: Exchange, info: PathRequest) => Promise<Reply>;
}

/** To resources, or to everything else that has a path. */
export const createDispatch =
  ({ serveResource, serveHistory, servePath }: DispatchOptions): Next =>
  (exchange) => {
    const { info, history } = exchange;
    if (info.kind !== "resource") return servePath(exchange, info);
    return history === undefined ? serveResource(exchange, info) : serveHistory(exchange, info, history);
  };
