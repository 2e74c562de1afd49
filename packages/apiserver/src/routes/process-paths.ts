/** What is asked of one of several servers, and is about their process: its first one answers. */
import type { FirstServer } from "../contracts/first-server.ts";
import type { HttpRequest } from "../contracts/http.ts";
import type { PathRequest } from "../contracts/request-info.ts";
import { parseRequest } from "../request/request-info.ts";
import type { PathRoutes } from "./paths.ts";

const roots: ReadonlySet<string | undefined> = new Set([undefined, "coxswain", "healthz", "livez", "metrics", "readyz"]);

export const pathsBeside =
  (first: FirstServer, own: PathRoutes): PathRoutes["serve"] =>
  (exchange, info) => {
    if (!roots.has(info.segments[0])) return own.serve(exchange, info);
    const { method, path, query, headers } = exchange.request;
    const { accept } = headers;
    return first.serve({ method, path, query, headers: accept === undefined ? {} : { accept }, user: exchange.user });
  };

/** @throws badRequest() */
export function pathRequestOf({ method, path }: Pick<HttpRequest, "method" | "path">): PathRequest {
  const info = parseRequest(method, path, false);
  if (info.kind !== "path") throw new Error(`${path} is that of a resource`);
  return info;
}
