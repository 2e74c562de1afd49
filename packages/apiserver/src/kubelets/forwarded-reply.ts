/** The answer of somebody else as ours, while it comes. */
import type { IncomingMessage } from "node:http";
import type { Reply, Sink } from "../http/exchange.ts";
import type { Messages } from "../http/websocket.ts";
import type { Answer } from "./ask.ts";
import { answeredHeaders } from "./forwarded-headers.ts";

const plain = "text/plain; charset=utf-8";

/** As fast as the client reads. */
export function streamReply(response: IncomingMessage, headers = answeredHeaders(response.headers), messages?: Messages): Reply {
  const { "content-type": contentType, ...others } = headers;
  return {
    status: response.statusCode ?? 502,
    contentType: typeof contentType === "string" ? contentType : plain,
    headers: others,
    body: {
      kind: "stream",
      start: (sink) => void copy(response, sink),
      discard: () => void response.destroy(),
      ...(messages === undefined ? {} : { messages }),
    },
  };
}

async function copy(response: IncomingMessage, sink: Sink): Promise<void> {
  sink.onClose(() => void response.destroy());
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (sink.closed) return;
      if (!sink.write(chunk)) await sink.drained();
    }
    sink.end();
  } catch {
    if (!sink.closed) sink.abort();
  }
}

/** The connection itself, from now on. */
export const tunnelReply = ({ response, socket, head }: Answer & { readonly kind: "upgraded" }): Reply => ({
  status: 101,
  contentType: "",
  headers: { ...answeredHeaders(response.headers), connection: "Upgrade", upgrade: response.headers.upgrade ?? "" },
  body: { kind: "tunnel", peer: socket, head, discard: () => void socket.destroy() },
});

/** Up to so much, for what is told of a failure. */
export async function textOf(response: IncomingMessage, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= mostBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString();
}
