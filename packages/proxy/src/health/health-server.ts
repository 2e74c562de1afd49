/** The HTTP servers of a proxy: /healthz and /livez, and the health check ports of Services. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, ListenOptions, Server } from "node:net";

/** A server that listens until it is disposed. */
export interface ListeningServer extends AsyncDisposable {
  readonly port: number;
}

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Makes a server that answers there. Rejects with the error of the socket, as EADDRINUSE. */
export type Listen = (address: ListenAddress, answer: RequestListener) => Promise<ListeningServer>;

/** In the network namespace of this process. */
export const listen: Listen = ({ host, port }, answer) => serve({ host, port, ipv6Only: host.includes(":") }, answer);

/** Answers on a socket that listens already, which may be of another network namespace; it is closed with the server. */
export const listenOn = (socket: Server, answer: RequestListener): Promise<ListeningServer> => serve(socket, answer);

async function serve(at: ListenOptions | Server, answer: RequestListener): Promise<ListeningServer> {
  const server = createServer(answer);
  server.listen(at);
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
