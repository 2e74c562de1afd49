import type { Exchange } from "./exchange.ts";
import type { Reply } from "./http.ts";
import type { ResourceRequest } from "./request-info.ts";

/** Serves in another thread what would hold up others. */
export interface Offload {
  /** The answer; what it warns of replaces what the request was warned of so far. @throws 429 when too much is waiting, 504 */
  serve(exchange: Exchange, info: ResourceRequest): Promise<Reply>;
}
