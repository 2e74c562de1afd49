import type { HistoryReport } from "../../contracts/history-report.ts";
import { parseBool } from "../../request/options.ts";
import { parseRequest } from "../../request/request-info.ts";
import type { Stage } from "../stage.ts";

/**
 * Finds out what a request is about. Below `/coxswain/v1/past`, `/coxswain/v1/history` and `/coxswain/v1/blame` that is what the rest of the path
 * names: who may read a resource may read its past, and nobody else.
 * @see Kubernetes' WithRequestInfo
 */
export const requestInfo: Stage = {
  name: "request info",
  wrap: (next) => (exchange) => {
    const { request, query } = exchange;
    const { method, path } = request;
    const [, report, rest] = path.startsWith("/coxswain/v1/") ? (historyPath.exec(path) ?? []) : [];
    if (rest !== undefined) {
      const info = parseRequest(method, rest, false);
      if (info.kind === "resource") {
        exchange.info = info;
        exchange.history = report as HistoryReport;
        return next(exchange);
      }
    }
    exchange.info = parseRequest(method, path, parseBool(query.get("watch")));
    return next(exchange);
  },
};

const historyPath = /^\/coxswain\/v1\/(past|history|blame)(\/apis?\/.*)$/;
