/** Takes part in what runs behind a streaming address of a container runtime. @see k8s.io/kubelet/pkg/cri/streaming */
import type { Terminal, TerminalRequest } from "../../runtime/container-streams.ts";
import { RuntimeError } from "../../runtime/runtime-error.ts";
import { exitCodeOf } from "../command-status.ts";
import { openSpdy } from "./open-spdy.ts";
import type { SpdySession } from "./session.ts";
import type { SpdyStream } from "./stream.ts";

/** The status of the command in JSON, and sizes of the terminal. */
const protocol = "v4.channel.k8s.io";
const maxStatusBytes = 1024 * 1024;

/**
 * Connects to the address that a runtime named for exec or attach, over SPDY.
 * @param url as `Exec` or `Attach` of the runtime answered
 * @param request the same as the runtime was given: it waits for exactly these streams
 * @throws RuntimeError when the streams do not open
 */
export async function connectRemoteCommand(url: string, request: TerminalRequest, signal: AbortSignal): Promise<Terminal> {
  const { session, protocol: agreed } = await openSpdy(url, { protocols: [protocol], signal });
  try {
    if (agreed !== protocol) throw new RuntimeError("refused", `the runtime speaks ${agreed === "" ? "no known protocol" : agreed}`);
    return terminalOn(session, request);
  } catch (error) {
    session[Symbol.dispose]();
    throw error;
  }
}

function terminalOn(session: SpdySession, { stdin, stdout, stderr, tty }: TerminalRequest): Terminal {
  const open = (streamtype: string): SpdyStream => session.open({ streamtype });
  // The runtime says how it went before anything else may be missing.
  const error = open("error");
  void error.end();
  const input = stdin ? open("stdin") : undefined;
  const output = stdout ? open("stdout") : undefined;
  const errors = stderr && !tty ? open("stderr") : undefined;
  const resize = tty ? open("resize") : undefined;
  void output?.end();
  void errors?.end();
  const exited = statusOn(error).finally(() => void resize?.end());
  exited.catch(() => undefined);
  return {
    stdout: output?.readable,
    stderr: errors?.readable,
    writeStdin: async (chunk) => input?.write(chunk),
    endStdin: () => void input?.end(),
    resize: ({ width, height }) => {
      const size = Buffer.from(`${JSON.stringify({ Width: width, Height: height })}\n`);
      // What has ended has no size.
      resize?.write(size).catch(() => undefined);
    },
    exited,
    [Symbol.dispose]: () => session[Symbol.dispose](),
  };
}

async function statusOn(error: SpdyStream): Promise<number> {
  const said: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of error.readable) {
      said.push(chunk);
      length += chunk.byteLength;
      if (length > maxStatusBytes) throw new RuntimeError("unknown", "the runtime's answer has no end");
    }
  } catch (cause) {
    if (cause instanceof RuntimeError) throw cause;
    if (length === 0) throw new RuntimeError("unavailable", "the connection broke off before the runtime said how it went", { cause });
  }
  return exitCodeOf(Buffer.concat(said).toString());
}
