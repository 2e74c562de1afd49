import { parseBool } from "../../request/options.ts";
import { parseRequest } from "../../request/request-info.ts";
import type { Stage } from "../stage.ts";

/** Finds out what a request is about. @see Kubernetes' WithRequestInfo */
export const requestInfo: Stage = {
  name: "request info",
  wrap: (next) => (exchange) => {
    const { request, query } = exchange;
    exchange.info = parseRequest(request.method, request.path, parseBool(query.get("watch")));
    return next(exchange);
  },
};
