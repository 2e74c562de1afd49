/** The HTTP servers of a proxy: /healthz and /livez, and the health check ports of Services. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that listens until it is disposed. */
export interface ListeningServer extends AsyncDisposable {
  readonly port: number;
}

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** @throws Error of the socket, as EADDRINUSE */
export async function listen({ host, port }: ListenAddress, answer: RequestListener): Promise<ListeningServer> {
  const server = createServer(answer);
  server.listen({ host, port, ipv6Only: host.includes(":") });
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** With the headers that kube-proxy sends with JSON. */
export const jsonHeaders = { "content-type": "application/json", "x-content-type-options": "nosniff" } as const;
