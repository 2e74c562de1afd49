/** Bounds how many requests are under way: what servers cannot do yet waits here, not there. */
import type { Transport } from "../transport/transport.ts";

/** Bounds the requests of all transports that it is given, together. */
export interface InFlightLimiter {
  /** Closing what it returns leaves the given transport open. */
  limit(transport: Transport): Transport;
}

/**
 * At most `maxInFlight` requests are under way; others wait in the order in which they came. A request is under way until the head of its answer
 * is there: a watch that has begun does not count.
 * @throws RangeError when no request could be under way
 */
export function createInFlightLimiter(maxInFlight: number): InFlightLimiter {
  if (!(maxInFlight >= 1)) throw new RangeError(`${maxInFlight} requests cannot be under way`);
  const line = new Set<() => void>();
  let free = maxInFlight;
  const give = (): void => {
    const [next] = line;
    if (next === undefined) free++;
    else next();
  };
  return {
    limit: (transport) => ({
      async send(request) {
        if (free > 0) free--;
        else await inLine(line, request.signal);
        try {
          return await transport.send(request);
        } finally {
          give();
        }
      },
      ...(transport.open === undefined ? {} : { open: transport.open.bind(transport) }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}

/** Resolves when whoever gives a place calls the first of the line. @throws the signal's reason */
function inLine(line: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      line.delete(onTurn);
      signal?.removeEventListener("abort", onAbort);
    };
    const onTurn = (): void => {
      leave();
      resolve();
    };
    const onAbort = (): void => {
      leave();
      reject(signal?.reason);
    };
    line.add(onTurn);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
