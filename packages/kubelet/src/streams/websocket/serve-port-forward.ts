/** Port-forwarding over WebSockets, one connection to each port: two channels for each, of which one is for errors only. */
import type { Clock } from "@coxswain/machinery";
import { type ForwardedConnection, type ForwardTarget, forwardPort } from "../forward-port.ts";
import { closing } from "../hang-up.ts";
import { type AcceptedSocket, ChannelSocket } from "./channel-socket.ts";

export const channelProtocols = ["v4.channel.k8s.io", "v4.base64.channel.k8s.io"];
/** SPDY frames in messages, as kubectl speaks since 1.31. */
export const tunnelProtocol = "SPDY/3.1+portforward.k8s.io";

/** Resolves when the client is gone, or every connection has ended. */
export async function servePortForward(
  { protocol, ...accepted }: AcceptedSocket,
  ports: readonly number[],
  target: ForwardTarget,
  clock: Clock,
): Promise<void> {
  const readable = ports.map((_, i) => i * 2);
  const connection = new ChannelSocket(accepted, { base64: protocol.includes("base64"), closes: false, readable });
  const gone = new AbortController();
  void connection.closed.then(() => gone.abort(new Error("the client is gone")));
  await Promise.all(ports.map((port, i) => forwardPort(channelsOf(connection, port, i * 2), target, gone.signal)));
  using _hangUp = closing(connection, clock);
  connection.end();
  await connection.closed;
}

/** Each channel begins with the number of its port. */
function channelsOf(connection: ChannelSocket, port: number, data: number): ForwardedConnection {
  const number = Buffer.alloc(2);
  number.writeUInt16LE(port);
  const begun = Promise.all([connection.write(data, number), connection.write(data + 1, number)]);
  begun.catch(() => undefined);
  return {
    port,
    readable: connection.read(data) ?? nothing(),
    write: (chunk) => connection.write(data, chunk),
    // The client could not end its own direction: it ends with the other one.
    end: () => connection.stopReading(data),
    fail: async (message) => {
      await begun;
      await connection.write(data + 1, Buffer.from(message));
    },
  };
}

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}
