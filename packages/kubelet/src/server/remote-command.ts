/** `/exec` and `/attach`, over WebSockets and SPDY. */
import type { Clock } from "@coxswain/machinery";
import type { TerminalRequest } from "../runtime/container-streams.ts";
import type { CommandStreams } from "../streams/command-streams.ts";
import { type CommandRun, runCommand } from "../streams/run-command.ts";
import * as spdy from "../streams/spdy/command-streams.ts";
import * as webSocket from "../streams/websocket/command-streams.ts";
import { ServerError } from "./answer.ts";
import { accept, type Upgrade } from "./upgrades.ts";

/** Between API server and kubelet streams have names of their own. @throws ServerError */
export function terminalRequest(query: URLSearchParams): TerminalRequest {
  const asked = (name: string): boolean => query.get(name) === "1";
  const tty = asked("tty");
  const request = { tty, stdin: asked("input"), stdout: asked("output"), stderr: asked("error") && !tty };
  if (!request.stdin && !request.stdout && !request.stderr)
    throw new ServerError(400, "you must specify at least 1 of stdin, stdout, stderr");
  return request;
}

/** Resolves when the command has ended or the client is gone. */
export async function serveCommand(upgrade: Upgrade, request: TerminalRequest, run: CommandRun, clock: Clock): Promise<void> {
  const client = await clientOf(upgrade, request, clock);
  if (client !== undefined) await runCommand(client, run);
}

async function clientOf(upgrade: Upgrade, request: TerminalRequest, clock: Clock): Promise<CommandStreams | undefined> {
  const accepted = await accept(upgrade, { spdy: spdy.commandProtocols, webSocket: webSocket.commandProtocols });
  switch (accepted.kind) {
    case "refused":
      return undefined;
    case "websocket":
      return webSocket.webSocketCommandStreams(accepted, request, clock);
    case "spdy": {
      const { socket: connection, head } = upgrade;
      return await spdy.spdyCommandStreams({ connection, head, protocol: accepted.protocol, request, clock });
    }
  }
}
