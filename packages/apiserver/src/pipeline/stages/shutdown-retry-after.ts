/** While a server that ends answers what it has begun, it sends further requests elsewhere. */
import type { Reply } from "../../contracts/http.ts";
import { headerOf, textReply } from "../../http/exchange.ts";
import type { Stage } from "../stage.ts";

/** Who watches the server, and the server itself, are answered until the end. */
const exempt = /^\/(?:readyz|livez|healthz|metrics)/;
const ownUserAgent = "kube-apiserver/";

export const shutdownRetryAfter = (state: { readonly rejecting: boolean }): Stage => ({
  name: "shutdown retry after",
  wrap: (next) => (exchange) => {
    const { request } = exchange;
    if (!state.rejecting || exempt.test(request.path) || headerOf(request, "user-agent")?.startsWith(ownUserAgent) === true)
      return next(exchange);
    return Promise.resolve(rejected());
  },
});

function rejected(): Reply {
  const reply = textReply(429, "The apiserver is shutting down, please try again later.\n");
  return { ...reply, headers: { ...reply.headers, "retry-after": "5" }, closeConnection: true };
}
