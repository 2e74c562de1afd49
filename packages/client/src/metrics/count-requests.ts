/** Counts what a transport sends, under client-go's name. */

import type { Counter, MetricsRegistry } from "@coxswain/machinery";
import type { Transport } from "../transport/transport.ts";

/** Closing it leaves the given transport open. `host` is the server's, where there are several. Of a request that got no answer the code is `<error>`. */
export function countRequests(transport: Transport, registry: MetricsRegistry, host?: string): Transport {
  const counters = new Map<string, Counter>();
  const count = (code: string, method: string): void => {
    const key = `${method} ${code}`;
    let counter = counters.get(key);
    if (counter === undefined) {
      counter = registry.counter("rest_client_requests_total", "Requests sent, by answer", {
        code,
        method,
        ...(host === undefined ? {} : { host }),
      });
      counters.set(key, counter);
    }
    counter.add();
  };
  const { open } = transport;
  return {
    send: async (request) => {
      try {
        const response = await transport.send(request);
        count(String(response.status), request.method);
        return response;
      } catch (error) {
        count("<error>", request.method);
        throw error;
      }
    },
    ...(open === undefined ? {} : { open: open.bind(transport) }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
