/** One TLS port for HTTP/2 and HTTP/1.1, bounded against clients that idle, flood or reset. */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, ListenOptions, Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import type { Clock } from "@coxswain/machinery";
import type { HttpHandler, HttpRequest, Reply } from "../contracts/http.ts";
import { ClientCertificates } from "./client-certificates.ts";
import { Deadlines } from "./deadlines.ts";
import { Handshakes } from "./handshakes.ts";
import { serveRequest } from "./http1.ts";
import { serveStream } from "./http2.ts";
import { type ConnectionLimits, defaultLimits } from "./limits.ts";
import type { Serving } from "./serving.ts";
import { Sessions } from "./sessions.ts";
import { isUpgradeRequest, serveUpgrade } from "./upgrade.ts";

export interface ListenerOptions {
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
  /** PEM of the authority whose client certificates count; without it none is asked for. */
  readonly clientAuthorities?: readonly string[];
  readonly clock: Clock;
  readonly handler: HttpHandler;
  /** For a request that was not answered in time. */
  readonly timedOut: () => Reply;
  /** Whether a request may take as long as it likes: asked when its time would be over. */
  readonly isLongRunning: (request: HttpRequest) => boolean;
  readonly limits?: Partial<ConnectionLimits>;
  /** What no handler answered: the client gets a closed stream. */
  readonly onError: (error: unknown) => void;
}

export interface Listener {
  /** @param reusePort whether others listen there, too */
  listen(port: number, address: string, reusePort?: boolean): Promise<AddressInfo>;
  /**
   * With what it serves on new connections, and, in PEM, of which authorities it asks for certificates there: only where it did at
   * the start. Connections that are open stay as they are.
   */
  setCredentials(tls: Pick<ListenerOptions, "cert" | "key">, authorities: readonly string[]): void;
  /** How many connections are open on which TLS is spoken. */
  readonly connections: number;
  /** Resolves once no request is under way, watches and other connections that stay open excepted. */
  idle(): Promise<void>;
  /** Takes no further connections, and no further requests on those that are open; those under way go on. Once. */
  stopAccepting(): void;
  /** Ends all connections at once, and answers nothing. */
  abandon(): void;
  /** Of one that does not accept any more: lets what is under way finish for `graceMs`, then ends every connection. */
  close(graceMs: number, wait: (ms: number) => Promise<void>): Promise<void>;
}

/** Bytes. */
const maxHeaders = 64 * 1024;
const lingerMs = 1_000;
/** How long who has no request under way may take to go, when the port is closed. */
const idleGraceMs = 250;

const isHttp2 = (socket: Socket): boolean => "alpnProtocol" in socket && socket.alpnProtocol === "h2";

export function createListener(options: ListenerOptions): Listener {
  const { clock, handler, timedOut, isLongRunning } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const server = createPort(options, limits);
  const serving = {
    ...{ handler, timedOut, isLongRunning },
    deadlines: new Deadlines(clock, limits.requestMs),
    endings: new Deadlines(clock, limits.requestMs),
    linger: new Deadlines(clock, lingerMs),
    certificates: new ClientCertificates(),
    closing: false,
  };
  const sessions = new Sessions(clock, limits.idleMs);
  const handshakes = new Handshakes(server);
  const { sockets, busy } = serveConnections(server, { serving, sessions, onError: options.onError });
  const { promise: closed, resolve: ended } = Promise.withResolvers<void>();

  return {
    listen: (port, host, reusePort = false) => listenOn(server, reusePort ? { port, host, reusePort } : { port, host }, options.onError),
    setCredentials: (tls, authorities) => server.setSecureContext(credentialsOf(tls, authorities)),
    get connections() {
      return sockets.size;
    },
    idle: () => serving.deadlines.idle(),
    stopAccepting() {
      serving.closing = true;
      server.close(() => ended());
      sessions.close();
      handshakes.destroy();
    },
    abandon() {
      server.close();
      handshakes.destroy();
      sessions.destroy("all");
      for (const socket of sockets) socket.destroy();
    },
    async close(graceMs, wait) {
      await Promise.race([closed, wait(Math.min(graceMs, idleGraceMs))]);
      sessions.destroy("idle");
      for (const socket of sockets) if (!isHttp2(socket) && !busy.has(socket)) socket.destroy();
      await Promise.race([closed, wait(graceMs - idleGraceMs)]);
      sessions.destroy("all");
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

interface Connections {
  readonly sockets: ReadonlySet<Socket>;
  /** The HTTP/1.1 connections with a request under way. */
  readonly busy: ReadonlySet<Socket>;
}

interface ConnectionServices extends Pick<ListenerOptions, "onError"> {
  readonly serving: Serving;
  readonly sessions: Sessions;
}

/** Answers what comes on the connections of a port. */
function serveConnections(server: Http2SecureServer, { serving, sessions, onError }: ConnectionServices): Connections {
  const sockets = new Set<Socket>();
  const busy = new Set<Socket>();

  server.on("request", (req: unknown, res: unknown) => {
    const message = req as IncomingMessage;
    if (message.httpVersionMajor !== 1) return;
    const { socket } = message;
    busy.add(socket);
    (res as ServerResponse).once("close", () => busy.delete(socket));
    serveRequest(message, res as ServerResponse, serving).catch((error: unknown) => {
      onError(error);
      message.destroy();
    });
  });
  server.on("upgrade", (req: IncomingMessage, socket: Socket, head: Buffer) => {
    busy.add(socket);
    socket.once("close", () => busy.delete(socket));
    serveUpgrade(req, socket, head, serving).catch((error: unknown) => {
      onError(error);
      socket.destroy();
    });
  });
  server.removeAllListeners("stream");
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: readonly string[]) => {
    serveStream(stream, { headers, rawHeaders, flags }, serving, sessions.use(stream)).catch((error: unknown) => {
      onError(error);
      stream.destroy();
    });
  });
  onSession(server, (session, socket) => {
    sessions.add(session, socket);
    serving.certificates.note(socket, session);
  });
  server.on("secureConnection", (socket: Socket) => {
    sockets.add(socket);
    if (!isHttp2(socket)) serving.certificates.note(socket);
    socket.setNoDelay(true);
    socket.once("close", () => sockets.delete(socket));
  });
  return { sockets, busy };
}

function onSession(server: Http2SecureServer, note: (session: ServerHttp2Session, socket: Socket) => void): void {
  // Node makes the session of a socket in the next listener of this event.
  let connecting: Socket | undefined;
  server.prependListener("secureConnection", (socket: Socket) => {
    connecting = socket;
  });
  server.on("session", (session: ServerHttp2Session) => {
    if (connecting !== undefined) note(session, connecting);
    session.setLocalWindowSize(1024 * 1024);
  });
}

/** Errors of the port itself reject; later ones go to `onError`. */
function listenOn(server: Http2SecureServer, where: ListenOptions, onError: ListenerOptions["onError"]): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => {
      server.off("error", reject);
      server.on("error", onError);
      resolve(server.address() as AddressInfo);
    });
  });
}

function createPort(options: ListenerOptions, limits: ConnectionLimits): Http2SecureServer {
  const { clientAuthorities = [] } = options;
  const server: Http2SecureServer = createSecureServer({
    ...credentialsOf(options, clientAuthorities),
    allowHTTP1: true,
    ...(clientAuthorities.length === 0 ? {} : { requestCert: true, rejectUnauthorized: false }),
    handshakeTimeout: limits.headersMs,
    ...http1Options(limits),
    maxSessionMemory: 64,
    maxHeaderListPairs: 256,
    streamResetBurst: 1_000,
    streamResetRate: 100,
    settings: { maxConcurrentStreams: limits.streams, initialWindowSize: 256 * 1024, maxHeaderListSize: maxHeaders },
  });
  Object.assign(server, { headersTimeout: limits.headersMs, keepAliveTimeout: limits.idleMs, shouldUpgradeCallback: isUpgradeRequest });
  return server;
}

/** An authority need not be the root of all: whatever is given is trusted, as in Kubernetes. */
const credentialsOf = (
  { cert, key }: Pick<ListenerOptions, "cert" | "key">,
  clientAuthorities: readonly string[],
): SecureContextOptions => ({
  cert: Buffer.from(cert),
  key: Buffer.from(key),
  ...(clientAuthorities.length === 0 ? {} : { ca: [...clientAuthorities], allowPartialTrustChain: true }),
});

/** Node takes these for HTTP/2 servers that also speak HTTP/1.1, though its types do not say so. */
const http1Options = (limits: ConnectionLimits): object => ({
  maxHeaderSize: maxHeaders,
  connectionsCheckingInterval: Math.min(5_000, limits.headersMs / 2),
});
