import type { Exchange } from "./exchange.ts";
import type { Reply } from "./http.ts";
import type { ResourceRequest } from "./request-info.ts";
import type { ServedResource } from "./served-resource.ts";

/** Serves in another thread what would hold up others. */
export interface Offload {
  /** The answer; what it warns of replaces what the request was warned of so far. @throws 429 when too much is waiting, 504 */
  serve(exchange: Exchange, info: ResourceRequest): Promise<Reply>;
}

/** What the main thread may spend on one request. */
export interface InlineLimits {
  /** Bytes of the largest stored object that it works on. What has several steps cannot begin again after the first: infinite. */
  maxBytes(info: ResourceRequest): number;
  /** @throws OffloadRequired where only knowing the resource's schema may take too long, or its objects lately have taken long to check */
  checkResource(resource: ServedResource, info: ResourceRequest): void;
}
