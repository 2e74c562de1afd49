/** A gRPC server that a test plays, on a socket or a port of its own. */
import { once } from "node:events";
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { GrpcError, type GrpcMethod, grpcCodes, MessageFrames, messageFrame } from "@coxswain/grpc";
import { messageOf } from "@coxswain/machinery";

/** What a method does with a request, or with an AsyncIterable of them: one answer, or many; a GrpcError is sent as it is, another as code Unknown. */
export type GrpcHandler = (request: never, call: GrpcServerCall) => Iterable<object> | AsyncIterable<object> | object | Promise<object>;

export interface GrpcServerCall {
  /** Aborted when the client has cancelled, or is gone. */
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface GrpcServer {
  /** 0 for a socket. */
  readonly port: number;
  /** Breaks off what is under way. */
  stop(): void;
}

export interface GrpcServerOptions {
  readonly methods: ReadonlyMap<string, GrpcMethod>;
  /** By the names of methods; others are answered with code Unimplemented. */
  readonly handlers: Readonly<Record<string, GrpcHandler>>;
  /** A path; without one it listens on a port of 127.0.0.1. */
  readonly socket?: string;
}

export async function serveGrpc({ methods, handlers, socket }: GrpcServerOptions): Promise<GrpcServer> {
  const byPath = new Map([...methods.values()].map((method) => [method.path, method]));
  const sessions = new Set<ServerHttp2Session>();
  // What Node keeps of a session by default is less than many large requests at once take.
  const server = createServer({ maxSessionMemory: 1024 });
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => undefined);
    session.once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    const method = byPath.get(headers[":path"] ?? "");
    void answer(stream, headers, { method, handler: handlers[method?.name ?? ""] });
  });
  server.listen(socket === undefined ? { port: 0, host: "127.0.0.1" } : { path: socket });
  await once(server, "listening");
  return {
    port: socket === undefined ? (server.address() as AddressInfo).port : 0,
    stop() {
      server.close();
      for (const session of sessions) session.destroy();
    },
  };
}

interface Served {
  readonly method: GrpcMethod | undefined;
  readonly handler: GrpcHandler | undefined;
}

async function answer(stream: ServerHttp2Stream, headers: GrpcServerCall["headers"], { method, handler }: Served): Promise<void> {
  const gone = new AbortController();
  stream.on("error", () => undefined);
  stream.once("close", () => gone.abort());
  let status = { "grpc-status": "0" };
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers(status));
  try {
    if (method === undefined || handler === undefined) throw new GrpcError(grpcCodes.Unimplemented, "unknown method");
    const messages = requestsOf(stream, method);
    const request = method.requestStreams ? messages : await onlyOne(messages);
    const answers = handler(request as never, { signal: gone.signal, headers });
    if (method.streams) for await (const one of answers as AsyncIterable<object>) stream.write(messageFrame(method.response.encode(one)));
    else stream.write(messageFrame(method.response.encode(await answers)));
  } catch (error) {
    const { code, details } = error instanceof GrpcError ? error : { code: grpcCodes.Unknown, details: messageOf(error) };
    status = { "grpc-status": String(code), "grpc-message": encodeURIComponent(details) } as typeof status;
  }
  if (!stream.destroyed) stream.end();
}

async function* requestsOf(stream: ServerHttp2Stream, { request }: GrpcMethod): AsyncGenerator<object, void, undefined> {
  const frames = new MessageFrames(64 << 20);
  for await (const piece of stream.iterator({ destroyOnReturn: false }))
    for (const message of frames.push(piece)) yield request.decode(message);
}

async function onlyOne(messages: AsyncIterable<object>): Promise<object> {
  const all = await Array.fromAsync(messages);
  const [message] = all;
  if (message === undefined || all.length > 1) throw new GrpcError(grpcCodes.Internal, `${all.length} messages`);
  return message;
}
