import type { Exchange } from "../contracts/exchange.ts";
import type { Reply } from "../contracts/http.ts";
import type { PathRequest, ResourceRequest } from "../contracts/request-info.ts";
import type { Next } from "./stage.ts";

export interface DispatchOptions {
  readonly serveResource: (exchange: Exchange, info: ResourceRequest) => Promise<Reply>;
  readonly servePath: (exchange: Exchange, info: PathRequest) => Promise<Reply>;
}

/** To resources, or to everything else that has a path. */
export const createDispatch =
  ({ serveResource, servePath }: DispatchOptions): Next =>
  (exchange) => {
    const { info } = exchange;
    return info.kind === "resource" ? serveResource(exchange, info) : servePath(exchange, info);
  };
