/** Requests on HTTP/1.1: the same handler behind node's classic request and response. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "./body.ts";
import { gzipped } from "./compress.ts";
import { type HttpHandler, type HttpRequest, maxBodyBytes, type Reply, type Sink } from "./exchange.ts";
import { type HeaderBag, headersOf } from "./headers.ts";
import { pump } from "./pump.ts";

/** Answers one HTTP/1.1 request. Never rejects. */
export async function serveRequest(req: IncomingMessage, res: ServerResponse, handler: HttpHandler, tooLarge: () => Reply): Promise<void> {
  res.on("error", noop);
  const body = await readBody(req, req.headers["content-length"], maxBodyBytes);
  if (body === "aborted") return;
  const request = requestOf(req);
  const reply = body === "too large" ? { ...tooLarge(), closeConnection: true } : await handler(request, body);
  if (!res.destroyed) send(res, request, reply);
}

function noop(): void {}

function requestOf(req: IncomingMessage): HttpRequest {
  const target = req.url ?? "/";
  const mark = target.indexOf("?");
  return {
    method: req.method ?? "GET",
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? "" : target.slice(mark + 1),
    headers: req.headers,
    remoteAddress: req.socket.remoteAddress ?? "",
    http1: true,
  };
}

function send(res: ServerResponse, request: HttpRequest, reply: Reply): void {
  const headers: HeaderBag = headersOf(reply);
  if (reply.closeConnection === true) headers.connection = "close";
  const { body } = reply;
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
        return sinkOf(res);
      });
      break;
    case "stream":
      res.writeHead(reply.status, headers);
      res.flushHeaders();
      body.start(sinkOf(res));
      break;
  }
}

function sinkOf(res: ServerResponse): Sink {
  return {
    write: (chunk) => res.write(chunk),
    end: () => void res.end(),
    abort: () => void res.destroy(),
    get buffered() {
      return res.writableLength;
    },
    get closed() {
      return res.destroyed || res.writableEnded;
    },
    onClose: (fn) => void res.once("close", fn),
    drained: () =>
      new Promise((resolve) => {
        const done = () => {
          res.off("drain", done);
          res.off("close", done);
          resolve();
        };
        res.on("drain", done);
        res.on("close", done);
      }),
  };
}
