import type { Exchange } from "../contracts/exchange.ts";
import type { HistoryReport } from "../contracts/history-report.ts";
import type { Reply } from "../contracts/http.ts";
import type { PathRequest, ResourceRequest } from "../contracts/request-info.ts";
import type { Next } from "./stage.ts";

export interface DispatchOptions {
  readonly serveResource: (exchange: Exchange, info: ResourceRequest) => Promise<Reply>;
  /** What is asked about the past. */
  readonly serveHistory: (exchange: Exchange, report: HistoryReport) => Promise<Reply>;
  readonly servePath: (exchange: Exchange, info: PathRequest) => Promise<Reply>;
}

/** To resources, or to everything else that has a path. */
export const createDispatch =
  ({ serveResource, serveHistory, servePath }: DispatchOptions): Next =>
  (exchange) => {
    const { info, history } = exchange;
    if (history !== undefined) return serveHistory(exchange, history);
    return info.kind === "resource" ? serveResource(exchange, info) : servePath(exchange, info);
  };
