/** Packets of UDP. What cannot be sent at once is dropped: askers ask again. */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { Clock } from "@coxswain/machinery";
import type { DnsMetrics } from "./dns-metrics.ts";
import type { QueryHandler } from "./query-handler.ts";

export interface ListeningServer extends AsyncDisposable {
  readonly port: number;
}

/** Bytes of answers that may wait for the network. */
const maxQueuedBytes = 4 * 1024 * 1024;
/** A burst of some thousand questions waits here; the system may give less. */
const receiveBufferBytes = 4 * 1024 * 1024;

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly handler: Pick<QueryHandler, "handle">;
  readonly metrics: DnsMetrics;
  readonly clock: Clock;
  /** Whose questions are heard, by their addresses; undefined: everybody's. */
  readonly mayAsk: ((address: string) => boolean) | undefined;
  /** Called with what only one packet or connection suffers from. */
  readonly onError: (error: unknown) => void;
}

/** Rejects when the address cannot be had. */
export async function listenUdp({ host, port, handler, metrics, mayAsk, onError }: ServerOptions): Promise<ListeningServer> {
  const isIpv6 = isIPv6(host);
  const socket = createSocket({ type: isIpv6 ? "udp6" : "udp4", ipv6Only: false, recvBufferSize: receiveBufferBytes });
  let open = true;
  const reply = (answer: Uint8Array | undefined, { address, port: to }: RemoteInfo): void => {
    if (answer === undefined || !open) return;
    if (to === 0 || socket.getSendQueueSize() > maxQueuedBytes) {
      metrics.dropped();
      return;
    }
    socket.send(answer, to, address, (error) => {
      if (error !== null) onError(error);
    });
  };
  socket.on("message", (packet, from) => {
    if (mayAsk?.(from.address) === false) return metrics.dropped();
    try {
      const answer = handler.handle(packet, { protocol: "udp", isIpv6, client: from.address });
      if (answer instanceof Promise) answer.then((later) => reply(later, from)).catch(onError);
      else reply(answer, from);
    } catch (error) {
      onError(error);
    }
  });
  socket.bind(port, host);
  await once(socket, "listening");
  socket.on("error", onError);
  return {
    port: socket.address().port,
    [Symbol.asyncDispose]: async () => {
      open = false;
      await closed(socket);
    },
  };
}

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.close(() => resolve()));
