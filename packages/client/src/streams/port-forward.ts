/** Connections to ports of Pods, through the API server. */
import type { Client, Target } from "../contracts/client.ts";
import type { Cancellable } from "../transport/cancellable.ts";
import { channelMessages, sendOnChannel } from "./channels.ts";
import { openSocket, podPath } from "./pod-path.ts";

/** One connection to one port. */
export interface ForwardedConnection extends Disposable {
  /** Until the other side closes; once. @throws Error with what the node says when it cannot connect, ConnectionError */
  readonly data: AsyncIterable<Uint8Array>;
  /** Resolves once it is handed on. */
  write(data: Uint8Array): Promise<void>;
  /** Of both directions: one alone cannot be closed. */
  close(): void;
}

const protocols = ["v4.channel.k8s.io"];
const channels = { data: 0, error: 1 } as const;
/** Each channel begins with the number of the port, little-endian. */
const portBytes = 2;

/**
 * Opens a connection to a port of a Pod. That nothing listens on the port shows when reading.
 * @throws StatusError when the server refuses, ConnectionError
 */
export async function portForward(
  client: Client,
  target: Target,
  port: number,
  { signal }: Cancellable = {},
): Promise<ForwardedConnection> {
  const socket = await openSocket(client, podPath(client, target, "portforward", { ports: port }), protocols, signal);
  const close = (): void => socket.close();
  return {
    data: received(channelMessages(socket.messages()), port),
    write: (data) => sendOnChannel((message) => socket.send(message), channels.data, data),
    close,
    [Symbol.dispose]: close,
  };
}

async function* received(messages: ReturnType<typeof channelMessages>, port: number): AsyncGenerator<Uint8Array> {
  const seen = { [channels.data]: 0, [channels.error]: 0 };
  for await (const { channel, data } of messages) {
    if (channel !== channels.data && channel !== channels.error) continue;
    const rest = data.subarray(Math.max(0, portBytes - seen[channel]));
    seen[channel] += data.byteLength;
    if (rest.byteLength === 0) continue;
    if (channel === channels.error) throw new Error(`error forwarding port ${port}: ${new TextDecoder().decode(rest)}`);
    yield rest;
  }
}
