/** One TLS port for HTTP/2 and HTTP/1.1, bounded against clients that idle, flood or reset. */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { HttpHandler, Reply } from "./exchange.ts";
import { serveRequest } from "./http1.ts";
import { serveStream } from "./http2.ts";

export interface ListenerOptions {
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
  readonly handler: HttpHandler;
  readonly tooLarge: () => Reply;
  /** What nobody else answered for: the client gets a closed stream. */
  readonly onError: (error: unknown) => void;
}

export interface Listener {
  listen(port: number, address: string): Promise<AddressInfo>;
  /** Stops accepting, lets requests under way finish for `graceMs`, then ends every connection. */
  close(graceMs: number, wait: (ms: number) => Promise<void>): Promise<void>;
}

const maxStreamsPerConnection = 1_000;

export function createListener(options: ListenerOptions): Listener {
  const server: Http2SecureServer = createSecureServer({
    cert: Buffer.from(options.cert),
    key: Buffer.from(options.key),
    allowHTTP1: true,
    maxSessionMemory: 64,
    maxHeaderListPairs: 256,
    streamResetBurst: 1_000,
    streamResetRate: 100,
    settings: { maxConcurrentStreams: maxStreamsPerConnection, initialWindowSize: 1024 * 1024, maxHeaderListSize: 64 * 1024 },
  });
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();

  server.on("request", (req: unknown, res: unknown) => {
    const message = req as IncomingMessage;
    if (message.httpVersionMajor !== 1) return;
    serveRequest(message, res as ServerResponse, options.handler, options.tooLarge).catch((error: unknown) => {
      options.onError(error);
      message.destroy();
    });
  });
  server.removeAllListeners("stream");
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number) => {
    serveStream(stream, headers, flags, options.handler, options.tooLarge).catch((error: unknown) => {
      options.onError(error);
      stream.destroy();
    });
  });
  server.on("session", (session: ServerHttp2Session) => {
    sessions.add(session);
    session.setLocalWindowSize(4 * 1024 * 1024);
    session.on("error", () => session.destroy());
    session.once("close", () => sessions.delete(session));
  });
  server.on("secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once("close", () => sockets.delete(socket));
  });

  return {
    listen: (port, address) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, address, () => {
          server.off("error", reject);
          server.on("error", options.onError);
          resolve(server.address() as AddressInfo);
        });
      }),
    async close(graceMs, wait) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.close();
      await Promise.race([closed, wait(graceMs)]);
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
