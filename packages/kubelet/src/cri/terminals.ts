/** Streams of the runtime: it names an address for each, for one connection within a minute. */
import type { Terminal, TerminalRequest } from "../runtime/container-streams.ts";
import type { Duplexed } from "../runtime/pod-runtime.ts";
import { connectPortForward } from "../streams/spdy/connect-port-forward.ts";
import { connectRemoteCommand } from "../streams/spdy/connect-remote-command.ts";
import type { CriConnection } from "./cri-connection.ts";

export async function execIn(
  connection: CriConnection,
  containerId: string,
  { command, ...request }: TerminalRequest & { readonly command: readonly string[] },
  signal: AbortSignal,
): Promise<Terminal> {
  const streams = streamsOf(request);
  const { url } = await connection.call("Exec", { containerId, cmd: command, ...streams }, { signal });
  return await connectRemoteCommand(url, streams, signal);
}

export async function attachTo(
  connection: CriConnection,
  containerId: string,
  request: TerminalRequest,
  signal: AbortSignal,
): Promise<Terminal> {
  const streams = streamsOf(request);
  const { url } = await connection.call("Attach", { containerId, ...streams }, { signal });
  return await connectRemoteCommand(url, streams, signal);
}

export async function forwardPort(connection: CriConnection, sandboxId: string, port: number, signal: AbortSignal): Promise<Duplexed> {
  const { url } = await connection.call("PortForward", { podSandboxId: sandboxId, port: [port] }, { signal });
  return await connectPortForward(url, port, signal);
}

/** With a terminal there is one output: the runtime refuses to be asked for both. */
function streamsOf({ stdin, stdout, stderr, tty }: TerminalRequest): TerminalRequest {
  return { stdin, stdout, stderr: stderr && !tty, tty };
}
