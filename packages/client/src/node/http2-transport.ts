/**
 * Requests over HTTP/2 from Node, over HTTP/1.1 where the server offers nothing newer, and WebSockets beside them. One
 * connection is kept alive and shared; more are made only when the server allows no more requests on it.
 */

import type { Socket as NetSocket } from "node:net";
import type { Clock } from "@coxswain/machinery";
import { trimRight } from "@coxswain/machinery";
import { type ClientCertificate, type Credential, type Credentials, fixedCredential, withCredential } from "../transport/credentials.ts";
import {
  ConnectionError,
  type Socket,
  type SocketRequest,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../transport/transport.ts";
import { type Destination, dial, type TlsOptions } from "./dial.ts";
import { keepAliveDefaults } from "./heartbeat.ts";
import { Http1Connections } from "./http1-connections.ts";
import { Http2Connection, type OutgoingHeaders } from "./http2-connection.ts";

/** Where a transport connects to, with which certificates and credentials, and its limits. */
export interface Http2TransportOptions {
  /** `https://host:6443`; with a path when a proxy serves the cluster under it. */
  readonly server: string;
  readonly clock: Clock;
  readonly tls?: TlsOptions;
  /** Default: anonymous. */
  readonly credentials?: Credentials;
  /** Sent with each request: those of impersonation, for example. */
  readonly headers?: Readonly<OutgoingHeaders>;
  /** `http`, `https` or `socks5`. */
  readonly proxy?: string | undefined;
  /** Asks for compressed answers: less to carry, more to compute. Default: false. */
  readonly compression?: boolean;
  /** Default: 30 s. */
  readonly connectTimeoutMs?: number;
  /** Default: a ping every 30 s, given up after 15 s without an answer, as client-go does. */
  readonly keepAlive?: { readonly intervalMs: number; readonly timeoutMs: number };
  /** Default: 16. With as many, requests wait for one another. */
  readonly maxConnections?: number;
}

type Carrier = Http2Connection | Http1Connections;

interface Waiting {
  readonly start: (on: Carrier) => void;
  readonly fail: (error: unknown) => void;
}

/** Creates a transport that keeps its connections until it is disposed. @throws TypeError when `server` is no URL */
export const http2Transport = (options: Http2TransportOptions): Transport => new Http2Transport(options);

class Http2Transport implements Transport {
  readonly #options: Http2TransportOptions;
  readonly #to: Destination;
  readonly #basePath: string;
  readonly #credentials: Credentials;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Waiting>();
  readonly #connections = new Set<Http2Connection>();
  #http1: Http1Connections | undefined;
  #dialing = false;
  #certificate: ClientCertificate | undefined;

  constructor(options: Http2TransportOptions) {
    const { tls = {}, clock, connectTimeoutMs = 30_000, proxy, credentials = fixedCredential({}) } = options;
    const server = new URL(options.server);
    this.#options = options;
    this.#credentials = credentials;
    this.#basePath = trimRight(server.pathname, "/");
    this.#to = { server, tls, clock, connectTimeoutMs, proxy: proxy === undefined ? undefined : new URL(proxy) };
    if (server.protocol === "http:") this.#http1 = this.#overHttp1(undefined);
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    return withCredential(this.#credentials, (credential) => this.#attempt(request, credential), {
      statusOf: (answer) => answer.status,
      discard: (answer) => answer.cancel(),
      signal: request.signal,
    });
  }

  async open(request: SocketRequest): Promise<Socket> {
    // Most clients never open one.
    const { openWebSocket } = await import("./web-socket.ts");
    return openWebSocket(request, {
      to: this.#to,
      basePath: this.#basePath,
      credentials: this.#credentials,
      headers: this.#options.headers ?? {},
      keepAlive: this.#options.keepAlive ?? keepAliveDefaults,
      closing: this.#closing.signal,
    });
  }

  async #attempt(request: TransportRequest, credential: Credential): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    const located = this.#basePath === "" ? request : { ...request, path: this.#basePath + request.path };
    const headers = this.#headers(request, credential);
    const carrier = this.#ready(credential.certificate);
    return carrier === undefined ? this.#later(located, headers) : carrier.send(located, headers);
  }

  #headers({ headers, body }: TransportRequest, { authorization }: Credential): OutgoingHeaders {
    return {
      ...(this.#options.compression ? { "accept-encoding": "gzip" } : {}),
      ...(body === undefined ? {} : { "content-length": String(body.byteLength) }),
      ...headers,
      ...this.#options.headers,
      ...(authorization === undefined ? {} : { authorization }),
    };
  }

  /** What takes a request now, if nothing else waits for it. */
  #ready(certificate: ClientCertificate | undefined): Carrier | undefined {
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
    if (certificate !== this.#certificate) this.#become(certificate);
    return this.#waiting.size > 0 ? undefined : this.#free();
  }

  /** Another certificate is another user: no request goes to a connection of the last one. */
  #become(certificate: ClientCertificate | undefined): void {
    this.#certificate = certificate;
    for (const connection of this.#connections) connection.retire();
    if (this.#http1 === undefined) return;
    this.#http1.destroy();
    this.#http1 = this.#overHttp1(undefined);
  }

  #free(): Carrier | undefined {
    if (this.#http1 !== undefined) return this.#http1;
    for (const connection of this.#connections) if (connection.free > 0) return connection;
    return undefined;
  }

  #later(request: TransportRequest, headers: OutgoingHeaders): Promise<TransportResponse> {
    const { signal } = request;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#waiting.delete(waiting);
        signal?.removeEventListener("abort", onAbort);
      };
      const waiting: Waiting = {
        start(on) {
          settle();
          resolve(on.send(request, headers));
        },
        fail(error) {
          settle();
          reject(error);
        },
      };
      const onAbort = (): void => waiting.fail(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(waiting);
      this.#serve();
    });
  }

  /** Hands room to those who wait, in their order, and makes more while there may be more. */
  #serve(): void {
    for (const waiting of this.#waiting) {
      const carrier = this.#free();
      if (carrier === undefined) break;
      waiting.start(carrier);
    }
    const { maxConnections = 16 } = this.#options;
    const open = [...this.#connections].filter((connection) => !connection.retired).length;
    if (this.#waiting.size > 0 && !this.#dialing && open < maxConnections) void this.#connect();
  }

  async #connect(): Promise<void> {
    this.#dialing = true;
    const certificate = this.#certificate;
    try {
      const socket = await dial(this.#to, { protocols: ["h2", "http/1.1"], certificate, signal: this.#closing.signal });
      if (certificate !== this.#certificate) socket.destroy();
      else if ("alpnProtocol" in socket && socket.alpnProtocol === "h2") this.#add(socket);
      else this.#http1 = this.#overHttp1(socket);
    } catch (error) {
      // Those who wait for room on another connection go on waiting.
      const failure = error instanceof ConnectionError ? error : new ConnectionError(String(error), { unsent: true, cause: error });
      if (![...this.#connections].some((connection) => !connection.retired)) for (const waiting of this.#waiting) waiting.fail(failure);
    }
    this.#dialing = false;
    if (!this.#closing.signal.aborted) this.#serve();
  }

  #add(socket: NetSocket): void {
    const { clock, keepAlive = keepAliveDefaults } = this.#options;
    const connection = new Http2Connection({
      socket,
      origin: this.#to.server.origin,
      clock,
      keepAlive,
      onChange: () => {
        if (connection.gone) this.#connections.delete(connection);
        if (this.#waiting.size > 0) this.#serve();
      },
    });
    this.#connections.add(connection);
  }

  #overHttp1(first: NetSocket | undefined): Http1Connections {
    const certificate = this.#certificate;
    let spare = first;
    return new Http1Connections(this.#to.server, async () => {
      const socket = spare;
      spare = undefined;
      if (socket !== undefined && !socket.destroyed) return socket;
      return dial(this.#to, { protocols: ["http/1.1"], certificate, signal: this.#closing.signal });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new ConnectionError("the client is closed", { unsent: true });
    this.#closing.abort(closed);
    for (const waiting of this.#waiting) waiting.fail(closed);
    for (const connection of this.#connections) connection.destroy(new ConnectionError("the client is closed"));
    this.#http1?.destroy();
  }
}
