import type { HistoryReport } from "../../contracts/history-report.ts";
import type { RequestInfo } from "../../contracts/request-info.ts";
import { parseBool } from "../../request/options.ts";
import { parseRequest } from "../../request/request-info.ts";
import type { Stage } from "../stage.ts";

/**
 * Finds out what a request is about. Below `/coxswain/v1/past`, `/coxswain/v1/history` and `/coxswain/v1/blame` that is what the rest of the path
 * names: who may read a resource may read its past, and nobody else. Which revision a moment was may be asked by whoever may ask for `/api`.
 * @see Kubernetes' WithRequestInfo
 */
export const requestInfo: Stage = {
  name: "request info",
  wrap: (next) => (exchange) => {
    const { request, query } = exchange;
    const { method, path } = request;
    const asked = path.startsWith("/coxswain/v1/") ? historyOf(method, path) : undefined;
    exchange.info = asked?.info ?? parseRequest(method, path, parseBool(query.get("watch")));
    exchange.history = asked?.report;
    return next(exchange);
  },
};

const historyPath = /^\/coxswain\/v1\/(past|history|blame)(\/apis?\/.*)$/;

/** What a request asks about the past; undefined where it is about the present. @throws badRequest() */
export function historyOf(method: string, path: string): { readonly report: HistoryReport; readonly info: RequestInfo } | undefined {
  if (path === "/coxswain/v1/moment") return { report: "moment", info: parseRequest(method, "/api", false) };
  const [, report, rest] = historyPath.exec(path) ?? [];
  if (rest === undefined) return undefined;
  const info = parseRequest(method, rest, false);
  return info.kind === "resource" ? { report: report as HistoryReport, info } : undefined;
}
