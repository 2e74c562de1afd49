/** Spreads the requests of a transport over time, as client-go's QPS and burst do. */
import { type Clock, sleep } from "@coxswain/machinery";
import type { Transport, TransportRequest } from "../transport/transport.ts";
import { TokenBucket } from "../workqueue/token-bucket.ts";

/**
 * How many requests a transport may send.
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/ (--kube-api-qps)
 */
export interface RateLimit {
  /** Requests a second, in the long run. */
  readonly qps: number;
  /** How many may be sent at once after a rest. */
  readonly burst: number;
  readonly clock: Clock;
  /** What never waits, and does not count: a leader that waits for its turn to renew its Lease leads no more. */
  readonly isExempt?: (request: TransportRequest) => boolean;
}

/**
 * Requests are sent in the order in which they came, no faster than they may be; those that open a watch count, too. Closing it closes the given
 * transport.
 * @throws RangeError when nothing could be sent
 */
export function limitRate(transport: Transport, { qps, burst, clock, isExempt = () => false }: RateLimit): Transport {
  if (!(qps > 0 && burst >= 1)) throw new RangeError(`nothing could be sent with ${qps} requests a second and a burst of ${burst}`);
  const tokens = new TokenBucket({ clock, perSecond: qps, burst });
  return {
    async send(request) {
      const waitMs = isExempt(request) ? 0 : tokens.reserve();
      if (waitMs > 0) await sleep(clock, waitMs, request.signal);
      return await transport.send(request);
    },
    ...(transport.open === undefined ? {} : { open: transport.open.bind(transport) }),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
