/** A request and its answer, independent of HTTP/2, HTTP/1.1 or a call within the process. */
import type { X509Certificate } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Messages } from "./websocket.ts";

/** A certificate that came with the connection, whose private key the client has. */
export interface ClientCertificate {
  readonly certificate: X509Certificate;
  /** Why it does not count; undefined when it was signed by the authority for clients and was valid at that time. */
  readonly problem: string | undefined;
}

export interface HttpRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without the question mark; empty when there is none. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly remoteAddress: string;
  readonly http1: boolean;
  /** What the client proved to have when it connected. */
  readonly clientCertificate?: ClientCertificate | undefined;
}

/**
 * Where a long answer goes. `write` returns false when the client reads too slowly; whoever writes then either
 * waits for `drained` or gives up. Nothing may be written after `end` or once closed.
 */
export interface Sink {
  write(chunk: Uint8Array): boolean;
  end(): void;
  /** Ends at once, telling the client that the answer is incomplete. */
  abort(): void;
  /** Bytes accepted but not yet handed to the network. */
  readonly buffered: number;
  /** With more than this the reader of a watch is given up. Bytes; default 4 MiB. */
  readonly mostBuffered?: number;
  readonly closed: boolean;
  onClose(fn: () => void): void;
  drained(): Promise<void>;
}

/**
 * `chunks` are made while the client reads; `stream` is for what has no end of its own. With `messages` it can go over a
 * WebSocket, and then each write holds whole messages. A `tunnel` is the connection itself, which from now on is passed on
 * to a peer; only a request for an upgrade gets one. Whoever has no use for an answer any more says so with `discard`.
 */
export type Body =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "chunks"; readonly chunks: Iterable<Uint8Array> }
  | { readonly kind: "stream"; readonly start: (sink: Sink) => void; readonly messages?: Messages; readonly discard?: () => void }
  | { readonly kind: "tunnel"; readonly peer: Duplex; readonly head: Uint8Array; readonly discard: () => void };

export function discard({ body }: Reply): void {
  if (body.kind === "stream" || body.kind === "tunnel") body.discard?.();
}

export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Body;
  /** Close the connection once the requests under way are answered (HTTP/2: GOAWAY). */
  readonly closeConnection?: boolean;
}

export type HttpHandler = (request: HttpRequest, body: Uint8Array) => Promise<Reply>;

/** Bodies over this are refused with 413, as by the original. */
export const maxBodyBytes = 3 * 1024 * 1024;

export const bytesReply = (status: number, contentType: string, bytes: Uint8Array): Reply => ({
  status,
  contentType,
  body: { kind: "bytes", bytes },
});

const encoder = new TextEncoder();

export const textReply = (status: number, text: string, contentType = "text/plain; charset=utf-8"): Reply =>
  bytesReply(status, contentType, encoder.encode(text));

/** Several values of one header are joined with ", ". */
export function headerOf(request: Pick<HttpRequest, "headers">, name: string): string | undefined {
  const value = request.headers[name];
  return value === undefined || typeof value === "string" ? value : value.join(", ");
}
