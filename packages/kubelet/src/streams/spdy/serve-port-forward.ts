/** Port-forwarding over SPDY: for each connection the client opens a pair of streams, of which one is for errors only. */
import type { Duplex } from "node:stream";
import type { Clock, Timer } from "@coxswain/machinery";
import { type ForwardTarget, forwardPort } from "../forward-port.ts";
import { SpdySession } from "./session.ts";
import type { SpdyStream } from "./stream.ts";

export interface SpdyPortForwardOptions {
  readonly connection: Duplex;
  readonly head?: Uint8Array;
  readonly target: ForwardTarget;
  readonly clock: Clock;
}

/** How long one stream of a pair waits for the other. */
const pairMs = 30_000;

/** Streams whose other half has not come. */
const maxWaiting = 1_000;

interface Half {
  readonly stream: SpdyStream;
  readonly timer: Timer;
}

/** Resolves when the client is gone. */
export async function servePortForward({ connection, head, target, clock }: SpdyPortForwardOptions): Promise<void> {
  const gone = new AbortController();
  const waiting = new Map<string, Half>();
  const session = new SpdySession({ connection, ...(head === undefined ? {} : { head }), side: "server", onStream });
  await session.closed;
  gone.abort(new Error("the client is gone"));
  for (const { timer } of waiting.values()) timer[Symbol.dispose]();

  function onStream(stream: SpdyStream): void {
    const port = Number(stream.headers.port);
    const type = stream.headers.streamtype;
    if (!Number.isInteger(port) || port < 1 || port > 65535 || (type !== "data" && type !== "error")) return void stream.reset();
    const pair = pairOf(stream);
    const other = waiting.get(pair);
    if (other === undefined) {
      if (waiting.size >= maxWaiting) return void stream.reset();
      const timer = clock.schedule(pairMs, () => {
        waiting.delete(pair);
        stream.reset();
      });
      timer.unref();
      waiting.set(pair, { stream, timer });
      return;
    }
    if (other.stream.headers.streamtype === type) return void stream.reset();
    waiting.delete(pair);
    other.timer[Symbol.dispose]();
    const [data, error] = type === "data" ? [stream, other.stream] : [other.stream, stream];
    void forward(port, data, error);
  }

  async function forward(port: number, data: SpdyStream, error: SpdyStream): Promise<void> {
    const client = {
      port,
      readable: data.readable,
      write: (chunk: Uint8Array) => data.write(chunk),
      end: () => void data.end(),
      fail: (message: string) => error.write(Buffer.from(message)),
    };
    await forwardPort(client, target, gone.signal);
    await error.end();
  }
}

/** Clients before requests had names open the two streams one right after the other. */
function pairOf({ id, headers }: SpdyStream): string {
  return headers.requestid ?? `stream ${headers.streamtype === "error" ? id : id - 2}`;
}
