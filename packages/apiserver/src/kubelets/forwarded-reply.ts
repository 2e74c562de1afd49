/** The answer of another server as ours, while it arrives. */
import type { IncomingMessage } from "node:http";
import type { Messages, Reply, Sink } from "../contracts/http.ts";
import { answeredHeaders } from "./forwarded-headers.ts";
import type { BackendResponse } from "./round-trip.ts";

const plain = "text/plain; charset=utf-8";

export interface Forwarded {
  readonly response: IncomingMessage;
  /** Default: its own. */
  readonly headers?: Record<string, string | readonly string[]>;
  /** Default: as it comes. */
  readonly body?: AsyncIterable<Uint8Array>;
  /** How it goes over a WebSocket. */
  readonly messages?: Messages;
}

/** As fast as the client reads. */
export function streamReply({ response, headers = answeredHeaders(response.headers), body = response, messages }: Forwarded): Reply {
  const { "content-type": contentType, ...others } = headers;
  return {
    status: response.statusCode ?? 502,
    contentType: typeof contentType === "string" ? contentType : isEmpty(response) ? "" : plain,
    headers: others,
    body: {
      kind: "stream",
      start: (sink) => void copy(response, body, sink),
      discard: () => void response.destroy(),
      ...(messages === undefined ? {} : { messages }),
    },
  };
}

const isEmpty = ({ statusCode, headers, req }: IncomingMessage & { readonly req?: { readonly method?: string } }): boolean =>
  headers["content-length"] === "0" || statusCode === 204 || statusCode === 304 || req?.method === "HEAD";

async function copy(response: IncomingMessage, body: AsyncIterable<Uint8Array>, sink: Sink): Promise<void> {
  sink.onClose(() => void response.destroy());
  try {
    for await (const chunk of body) {
      if (sink.closed) return;
      if (!sink.write(chunk)) await sink.drained();
    }
    sink.end();
  } catch {
    if (!sink.closed) sink.abort();
  }
}

/** The connection itself, from now on. */
export const tunnelReply = ({ response, socket, head }: BackendResponse & { readonly kind: "upgraded" }): Reply => ({
  status: 101,
  contentType: "",
  headers: { ...answeredHeaders(response.headers), connection: "Upgrade", upgrade: response.headers.upgrade ?? "" },
  body: { kind: "tunnel", peer: socket, head, discard: () => void socket.destroy() },
});

/** Reads at most `maxBytes`, for the message of a failure. */
export async function textOf(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString();
}
