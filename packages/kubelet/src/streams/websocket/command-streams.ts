/** The server's side of remote commands over WebSockets. */

import { type Clock, sleep } from "@coxswain/machinery";
import type { TerminalRequest } from "../../runtime/container-streams.ts";
import { type CommandStreams, statusBytes, terminalSizes } from "../command-streams.ts";
import { closing } from "../hang-up.ts";
import { type AcceptedSocket, ChannelSocket } from "./channel-socket.ts";

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** Without a name it is the first version. */
export const commandProtocols = [
  "v5.channel.k8s.io",
  "v4.channel.k8s.io",
  "v4.base64.channel.k8s.io",
  "channel.k8s.io",
  "base64.channel.k8s.io",
  "",
];

/**
 * Some kubectls since 1.30 read before they have made their streams, and drop what comes for one that is not there yet. Containers
 * take longer to start a command; those that do not must not lose its output. Milliseconds.
 */
const beginMs = 10;

export function webSocketCommandStreams(
  { protocol, ...accepted }: AcceptedSocket,
  { stdin, stdout, stderr, tty }: TerminalRequest,
  clock: Clock,
): CommandStreams {
  const readable = [...(stdin ? [channels.stdin] : []), ...(tty ? [channels.resize] : [])];
  const closes = protocol.startsWith("v5.");
  const connection = new ChannelSocket(accepted, { base64: protocol.includes("base64"), closes, readable });
  const sizes = connection.read(channels.resize);
  const ready = closes ? sleep(clock, beginMs) : Promise.resolve();
  const write = async (channel: number, chunk: Uint8Array): Promise<void> => {
    await ready;
    await connection.write(channel, chunk);
  };
  // Clients wait for a first message, which shows that the server is there.
  const hello = stdout ? channels.stdout : stderr && !tty ? channels.stderr : channels.error;
  connection.write(hello, new Uint8Array(0)).catch(() => undefined);
  return {
    stdin: connection.read(channels.stdin),
    sizes: sizes === undefined ? undefined : terminalSizes(sizes),
    writeStdout: (chunk) => write(channels.stdout, chunk),
    writeStderr: (chunk) => write(channels.stderr, chunk),
    closed: connection.closed,
    async finish(status) {
      using _hangUp = closing(connection, clock);
      const said = statusBytes(status, /^v[45]\./.test(protocol));
      if (said.byteLength > 0) await write(channels.error, said);
      connection.end();
      await connection.closed;
    },
  };
}
