/** Requests on HTTP/1.1: the same handler behind node's classic request and response. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { HttpRequest, Reply, Sink } from "../contracts/http.ts";
import { StreamedBody } from "./body.ts";
import { gzipped, inPieces } from "./compress.ts";
import type { Deadlines } from "./deadlines.ts";
import { discard, maxBodyBytes } from "./exchange.ts";
import { type HeaderBag, headersOf } from "./headers.ts";
import { pump } from "./pump.ts";
import type { Serving } from "./serving.ts";

/** Answers one HTTP/1.1 request. Never rejects. */
export async function serveRequest(req: IncomingMessage, res: ServerResponse, serving: Serving): Promise<void> {
  req.on("error", noop);
  res.on("error", noop);
  const request = requestOf(req, serving);
  const body = bodyOf(req);
  const deadline = serving.deadlines.set(() => {
    if (body?.complete !== false && serving.isLongRunning(request)) return;
    if (res.headersSent) res.destroy();
    else refuse(req, res, serving.timedOut(), serving);
  });
  res.once("close", () => {
    deadline.cancel();
    if (serving.closing) req.socket.end();
  });
  req.on("close", () => body?.close());
  const reply = await serving.handler(request, body ?? empty);
  if (isOver(res)) return discard(reply);
  if (reply.body.kind === "stream") deadline.cancel();
  if (body === undefined || body.complete || (body.announced ?? maxBodyBytes) <= maxUnreadBytes) send(res, request, reply, serving);
  else refuse(req, res, reply, serving);
}

const empty = new Uint8Array(0);

/** Of a body that nobody wants, what is read and thrown away so that the connection can go on. As much as with Go. Bytes. */
const maxUnreadBytes = 256 * 1024;

function bodyOf(req: IncomingMessage): StreamedBody | undefined {
  const { "content-length": length, "transfer-encoding": encoding } = req.headers;
  return (length === undefined || length === "0") && encoding === undefined ? undefined : new StreamedBody(req, length);
}

function noop(): void {}

const isOver = (res: ServerResponse): boolean => res.destroyed || res.headersSent;

/** Answers without waiting for the rest of the request. The connection ends with the request, but shortly afterwards in any case. */
function refuse(req: IncomingMessage, res: ServerResponse, reply: Reply, { linger }: Serving): void {
  if (reply.body.kind !== "bytes") return void res.destroy();
  res.writeHead(reply.status, { ...headersOf(reply), connection: "close", "content-length": reply.body.bytes.byteLength });
  res.write(reply.body.bytes);
  const end = (): void => {
    deadline.cancel();
    res.end();
  };
  const deadline = linger.set(end);
  req.once("end", end);
  req.once("close", end);
  req.resume();
}

export function requestOf(req: IncomingMessage, { certificates }: Serving): HttpRequest {
  const target = req.url ?? "/";
  const mark = target.indexOf("?");
  return {
    method: req.method ?? "GET",
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? "" : target.slice(mark + 1),
    headers: req.headers,
    rawHeaders: req.rawHeaders,
    remoteAddress: req.socket.remoteAddress ?? "",
    http1: true,
    get isGone() {
      return req.socket.destroyed;
    },
    clientCertificate: certificates.of(req.socket),
  };
}

export function send(res: ServerResponse, request: HttpRequest, reply: Reply, { closing, endings }: Serving): void {
  const headers: HeaderBag = headersOf(reply);
  if (closing || reply.closeConnection === true) headers.connection = "close";
  const body = inPieces(reply.body);
  switch (body.kind) {
    case "bytes": {
      const small = gzipped(request, headers, body.bytes);
      headers["content-length"] = small.byteLength;
      res.writeHead(reply.status, headers);
      res.end(small);
      break;
    }
    case "chunks":
      pump(gzipped(request, headers, body.chunks), () => {
        res.writeHead(reply.status, headers);
        return sinkOf(res, endings);
      });
      break;
    case "stream":
      res.writeHead(reply.status, headers);
      res.flushHeaders();
      void body.start(sinkOf(res, endings));
      break;
    case "tunnel":
      // No upgrade is made of a request that asks for none.
      body.discard();
      res.destroy();
      break;
  }
}

export interface Framing {
  wrap(chunk: Uint8Array): Uint8Array;
  /** The bytes that end the body. */
  readonly last: Uint8Array | undefined;
}

const unframed: Framing = { wrap: (chunk) => chunk, last: undefined };

export function sinkOf(out: Writable, deadlines: Deadlines, { wrap, last }: Framing = unframed): Sink {
  return {
    prefersFewWrites: true,
    write: (chunk) => out.write(wrap(chunk)),
    end: () => {
      if (out.destroyed) return;
      out.end(last);
      // Who does not read the end either is not waited for.
      const deadline = deadlines.set(() => void out.destroy());
      out.once("close", () => deadline.cancel());
    },
    abort: () => void out.destroy(),
    get buffered() {
      return out.writableLength;
    },
    get closed() {
      return out.destroyed || out.writableEnded;
    },
    onClose: (fn) => void out.once("close", fn),
    drained: () =>
      new Promise((resolve) => {
        const done = () => {
          out.off("drain", done);
          out.off("close", done);
          resolve();
        };
        out.on("drain", done);
        out.on("close", done);
      }),
  };
}
