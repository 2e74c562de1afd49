/** One HTTP/2 session with a server, made when it is needed and again when it was lost. */
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Clock, connectReasons, tlsReason } from "@coxswain/machinery";
import { GrpcError, grpcCodes } from "../errors/grpc-error.ts";
import { type Keepalive, keepAlive } from "./keepalive.ts";

/** PEM texts by which server and client know each other; without `ca` those that Node trusts. */
export interface GrpcTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** What the server's certificate has to be for, where that is not the address. */
  readonly serverName?: string;
}

/**
 * Where a server listens: a unix socket, abstract where its path begins with `\0`, or a port. A function for `tls` is called for each
 * connection, so that certificates may be renewed; what it throws is why that does not come about.
 */
export type GrpcAddress =
  | { readonly path: string }
  | { readonly host: string; readonly port: number; readonly tls?: GrpcTls | (() => GrpcTls) };

export interface Session {
  readonly http2: ClientHttp2Session;
  readonly socket: Socket;
}

export interface SessionOptions {
  readonly address: GrpcAddress;
  readonly clock: Clock;
  readonly keepalive: Keepalive | undefined;
}

/** What may be under way without an answer that it was read: of one stream, and of all. */
const streamWindowBytes = 1 << 20;
const windowBytes = 4 << 20;
/** In MiB. What Node keeps by default is too little for thousands of calls at once: it ends them with ENHANCE_YOUR_CALM. Their number is for callers to bound. */
const maxSessionMemory = 4_096;

export class Sessions implements Disposable {
  readonly #options: SessionOptions;
  #current: Promise<Session> | undefined;
  #opened: Session | undefined;
  #ready: Session | undefined;
  #isClosed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** The one that is connected and may be used at once. */
  get ready(): Session | undefined {
    return this.#ready;
  }

  /** The one that there is, or a new one. @throws GrpcError where none comes about; the next call tries again */
  open(): Promise<Session> {
    if (this.#isClosed) return Promise.reject(new GrpcError(grpcCodes.Canceled, "grpc: the client connection is closing"));
    if (this.#current !== undefined) return this.#current;
    try {
      this.#current = this.#dial(dial(this.#options.address));
    } catch (error) {
      // A certificate that is no such thing, or does not belong to its key.
      return Promise.reject(this.#notDialed(error as Error));
    }
    return this.#current;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#ready = undefined;
    this.#opened?.http2.destroy();
  }

  #dial(socket: Socket): Promise<Session> {
    const { promise, resolve, reject } = Promise.withResolvers<Session>();
    const { address, clock, keepalive } = this.#options;
    const settings = { enablePush: false, initialWindowSize: streamWindowBytes };
    const http2 = connectHttp2(`${schemeOf(address)}://localhost`, { createConnection: () => socket, settings, maxSessionMemory });
    const session = { http2, socket };
    this.#opened = session;
    let isConnected = false;
    const forget = (): void => {
      if (this.#opened === session) this.#current = this.#ready = undefined;
    };
    http2.once("connect", () => {
      isConnected = true;
      // Also said of one that has just been destroyed.
      if (http2.destroyed) return;
      http2.setLocalWindowSize(windowBytes);
      if (keepalive !== undefined) keepAlive(http2, keepalive, clock);
    });
    // Sent by every server before anything else: what listens there does speak HTTP/2.
    http2.once("remoteSettings", () => {
      if (this.#opened === session && this.#current === promise && !http2.destroyed) this.#ready = session;
      resolve(session);
    });
    http2.once("goaway", forget);
    http2.on("error", (error: NodeJS.ErrnoException) => {
      forget();
      reject(isConnected ? noPreface(error) : this.#notDialed(error));
    });
    http2.once("close", () => {
      forget();
      reject(noPreface());
    });
    // That a server refuses the client's certificate comes behind the handshake: the session then ends without a word.
    socket.once("error", (error) => {
      forget();
      reject(isConnected ? noPreface(error) : this.#notDialed(error));
      socket.destroy();
    });
    return promise;
  }

  #notDialed(error: NodeJS.ErrnoException): GrpcError {
    const { address } = this.#options;
    const target = "path" in address ? `unix ${address.path.replace("\0", "@")}` : `tcp ${authorityOf(address)}`;
    const handshake = tlsReason(error);
    if (handshake !== undefined) return connectionError(`transport: authentication handshake failed: ${handshake}`, error);
    const reason = connectReasons[error.code ?? ""] ?? error.message;
    return connectionError(`transport: Error while dialing: dial ${target}: ${reason}`, error);
  }
}

/** What the server is called, in the header of each call. */
export function authorityOf(address: GrpcAddress): string {
  if ("path" in address) return "localhost";
  return `${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`;
}

export const schemeOf = (address: GrpcAddress): "http" | "https" => ("tls" in address && address.tls !== undefined ? "https" : "http");

function dial(address: GrpcAddress): Socket {
  if ("path" in address || address.tls === undefined) return connect(address);
  const { host, port, tls } = address;
  const { serverName = host, ...pems } = typeof tls === "function" ? tls() : tls;
  // A name in the handshake is never an address; certificates are compared with the address all the same.
  const servername = isIP(serverName) === 0 ? { servername: serverName } : {};
  return connectTls({ ...{ host, port, ALPNProtocols: ["h2"] }, ...servername, ...pems });
}

const noPreface = (error?: Error): GrpcError =>
  connectionError(`error reading server preface: ${tlsReason(error) ?? error?.message ?? "EOF"}`, error);

const connectionError = (description: string, cause: Error | undefined): GrpcError =>
  new GrpcError(grpcCodes.Unavailable, `connection error: desc = "${description}"`, { cause });
