/** Where a proxy answers /healthz and /livez. Rules are written whether that works or not. */
import type { RequestListener } from "node:http";
import type { ControllerLog } from "@coxswain/client";
import { type Clock, sleep } from "@coxswain/machinery";
import type { Listen, ListenAddress, ListeningServer } from "./health-server.ts";

/** With what the port is opened. */
export interface HealthSurroundings {
  readonly listen: Listen;
  readonly clock: Clock;
  readonly log: ControllerLog;
}

/** After which it is tried again, as kube-proxy does. Milliseconds. */
const retryMs = 5_000;

/** As soon as the port is free, until it is disposed of. */
export function serveHealth(address: ListenAddress, answer: RequestListener, { listen, clock, log }: HealthSurroundings): AsyncDisposable {
  const stop = new AbortController();
  const opening = open(stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await (await opening)?.[Symbol.asyncDispose]();
    },
  };

  async function open(signal: AbortSignal): Promise<ListeningServer | undefined> {
    while (!signal.aborted) {
      try {
        const server = await listen(address, answer);
        log.info({ port: server.port }, "serving health of the proxy");
        return server;
      } catch (error) {
        log.error({ ...address, error }, "failed to serve health of the proxy; trying again");
      }
      await sleep(clock, retryMs, signal).catch(() => undefined);
    }
    return undefined;
  }
}
