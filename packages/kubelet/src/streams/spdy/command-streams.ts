/** The server's side of remote commands over SPDY: one stream for each direction, which the client opens. */
import type { Duplex } from "node:stream";
import type { Clock } from "@coxswain/machinery";
import type { TerminalRequest } from "../../runtime/container-streams.ts";
import { type CommandStreams, statusBytes, terminalSizes } from "../command-streams.ts";
import { closing } from "../hang-up.ts";
import { SpdySession } from "./session.ts";
import type { SpdyStream } from "./stream.ts";

export interface SpdyCommandOptions {
  readonly connection: Duplex;
  readonly head: Uint8Array;
  /** `v4.channel.k8s.io` and those before. */
  readonly protocol: string;
  readonly request: TerminalRequest;
  readonly clock: Clock;
}

export const commandProtocols = ["v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"];

/** How long the client may take to open the streams that it has asked for. */
const openMs = 30_000;

/** Undefined when the client does not open its streams in time; the connection has ended then. */
export async function spdyCommandStreams(options: SpdyCommandOptions): Promise<CommandStreams | undefined> {
  const { connection, head, protocol, request, clock } = options;
  const wanted = streamTypes(request, protocol);
  const opened = new Map<string, SpdyStream>();
  const complete = Promise.withResolvers<boolean>();
  const session = new SpdySession({
    connection,
    head,
    side: "server",
    onStream: (stream) => {
      const { streamtype = "" } = stream.headers;
      if (!wanted.has(streamtype) || opened.has(streamtype)) return stream.reset();
      opened.set(streamtype, stream);
      if (opened.size === wanted.size) complete.resolve(true);
    },
  });
  void session.closed.then(() => complete.resolve(false));
  using _timeout = clock.schedule(openMs, () => complete.resolve(false));
  if (!(await complete.promise)) {
    session[Symbol.dispose]();
    return undefined;
  }
  const write = async (name: string, chunk: Uint8Array): Promise<void> => opened.get(name)?.write(chunk);
  const resize = opened.get("resize");
  return {
    stdin: opened.get("stdin")?.readable,
    sizes: resize === undefined ? undefined : terminalSizes(resize.readable),
    writeStdout: (chunk) => write("stdout", chunk),
    writeStderr: (chunk) => write("stderr", chunk),
    closed: session.closed,
    async finish(status) {
      using _hangUp = closing(session, clock);
      const said = statusBytes(status, protocol === commandProtocols[0]);
      if (said.byteLength > 0) await write("error", said);
      await session.end();
      await session.closed;
    },
  };
}

function streamTypes({ stdin, stdout, stderr, tty }: TerminalRequest, protocol: string): ReadonlySet<string> {
  const sizes = tty && (protocol === "v4.channel.k8s.io" || protocol === "v3.channel.k8s.io");
  const all = ["error" as const, stdin && "stdin", stdout && "stdout", stderr && !tty && "stderr", sizes && "resize"];
  return new Set(all.filter((name) => name !== false));
}
