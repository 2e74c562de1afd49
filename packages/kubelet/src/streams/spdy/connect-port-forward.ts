/** One connection to a port of a Pod behind a streaming address of a container runtime. */
import type { Duplexed } from "../../runtime/pod-runtime.ts";
import { RuntimeError } from "../../runtime/runtime-error.ts";
import { openSpdy } from "./open-spdy.ts";
import type { SpdyStream } from "./stream.ts";

export const portForwardProtocol = "portforward.k8s.io";
const maxErrorBytes = 64 * 1024;

/** That the port is closed shows when reading. @throws RuntimeError */
export async function connectPortForward(url: string, port: number, signal: AbortSignal): Promise<Duplexed> {
  const { session } = await openSpdy(url, { protocols: [portForwardProtocol], signal });
  const pair = { port: String(port), requestid: "0" };
  const error = session.open({ streamtype: "error", ...pair });
  void error.end();
  const data = session.open({ streamtype: "data", ...pair });
  const failure = errorOn(error);
  failure.catch(() => undefined);
  return {
    readable: readable(data, failure),
    write: (chunk) => data.write(chunk),
    end: () => void data.end(),
    [Symbol.dispose]: () => session[Symbol.dispose](),
  };
}

/** What failed is known at the latest when nothing more comes. */
async function* readable(data: SpdyStream, failure: Promise<string>): AsyncGenerator<Uint8Array, void, undefined> {
  yield* data.readable;
  const message = await failure;
  if (message !== "") throw new RuntimeError("unknown", message);
}

async function errorOn(stream: SpdyStream): Promise<string> {
  let text = "";
  for await (const chunk of stream.readable) {
    if (text.length < maxErrorBytes) text += Buffer.from(chunk).toString();
  }
  return text;
}
