/** Finds out that a server is gone which has not said so: a machine without power, a network that drops packets. */
import type { ClientHttp2Session } from "node:http2";
import type { Clock } from "@coxswain/machinery";

/** Milliseconds: how often a server is asked whether it is there, and how long its answer may take. */
export interface Keepalive {
  readonly everyMs: number;
  readonly timeoutMs: number;
}

/** Destroys the session when an answer does not come. */
export function keepAlive(http2: ClientHttp2Session, { everyMs, timeoutMs }: Keepalive, clock: Clock): void {
  let timer = later(everyMs, ping);
  http2.once("close", () => timer[Symbol.dispose]());

  function ping(): void {
    timer = later(timeoutMs, () => http2.destroy(new Error("keepalive ping failed to receive ACK within timeout")));
    http2.ping((error) => {
      timer[Symbol.dispose]();
      if (error === null) timer = later(everyMs, ping);
    });
  }

  function later(ms: number, fn: () => void): Disposable {
    const scheduled = clock.schedule(ms, () => {
      if (!http2.destroyed && !http2.closed) fn();
    });
    scheduled.unref();
    return scheduled;
  }
}
