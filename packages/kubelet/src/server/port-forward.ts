/** `/portForward`, over SPDY, over WebSockets, and over SPDY within a WebSocket. */
import type { Clock } from "@coxswain/machinery";
import { createWebSocketStream } from "ws";
import type { ForwardTarget } from "../streams/forward-port.ts";
import { portForwardProtocol } from "../streams/spdy/connect-port-forward.ts";
import { servePortForward as overSpdy } from "../streams/spdy/serve-port-forward.ts";
import { channelProtocols, servePortForward as overWebSocket, tunnelProtocol } from "../streams/websocket/serve-port-forward.ts";
import { ServerError } from "./answer.ts";
import { accept, type Upgrade } from "./upgrades.ts";

const maxPorts = 64;

/** Resolves when the client is gone. @throws ServerError */
export async function servePortForward(upgrade: Upgrade, query: URLSearchParams, target: ForwardTarget, clock: Clock): Promise<void> {
  const webSocket = [tunnelProtocol, ...channelProtocols];
  const usesChannels = upgrade.request.headers.upgrade?.toLowerCase() === "websocket" && !isTunnel(upgrade);
  const ports = usesChannels ? portsIn(query) : [];
  const accepted = await accept(upgrade, { spdy: [portForwardProtocol], webSocket });
  switch (accepted.kind) {
    case "refused":
      return;
    case "spdy":
      return await overSpdy({ connection: upgrade.socket, head: upgrade.head, target, clock });
    case "websocket": {
      if (accepted.protocol !== tunnelProtocol) return await overWebSocket(accepted, ports, target, clock);
      return await overSpdy({ connection: createWebSocketStream(accepted.socket), target, clock });
    }
  }
}

const isTunnel = ({ request }: Upgrade): boolean => request.headers["sec-websocket-protocol"]?.includes(tunnelProtocol) === true;

/** @throws ServerError */
function portsIn(query: URLSearchParams): number[] {
  const asked = [...query.getAll("port"), ...query.getAll("ports")].flatMap((some) => some.split(","));
  if (asked.length === 0) throw new ServerError(400, 'query parameter "port" is required');
  if (asked.length > maxPorts) throw new ServerError(400, `at most ${maxPorts} ports can be forwarded over one WebSocket`);
  return asked.map((text) => {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (port < 1 || port > 65535) throw new ServerError(400, `unable to parse ${JSON.stringify(text)} as a port`);
    return port;
  });
}
