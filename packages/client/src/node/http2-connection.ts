/** One HTTP/2 connection: many requests at once, and a heartbeat that finds out when the server is gone. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { type Clock, messageOf } from "@coxswain/machinery";
import { ConnectionError, type TransportRequest, type TransportResponse } from "../transport/transport.ts";
import { heartbeat } from "./heartbeat.ts";
import { readableResponse } from "./readable-response.ts";

export type OutgoingHeaders = Record<string, string | string[]>;

export interface Http2ConnectionOptions {
  readonly socket: Socket;
  /** As in `https://host:6443`. */
  readonly origin: string;
  readonly clock: Clock;
  readonly keepAlive: { readonly intervalMs: number; readonly timeoutMs: number };
  /** There is room for another request, or the connection is no more. */
  readonly onChange: () => void;
}

/** What servers allow that have not said so yet. */
const unknownLimit = 100;
/** How much of one answer arrives before it is read; of all answers together it is far more, so that none holds up the others. */
const streamWindowBytes = 1024 * 1024;
const connectionWindowBytes = 64 * 1024 * 1024;
const maxHeaderBytes = 64 * 1024;
/** Megabytes that Node keeps for streams; enough for every stream's window. */
const maxSessionMemory = 1024;

export class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #origin: string;
  readonly #onChange: () => void;
  readonly #heartbeat: Disposable;
  #limit = unknownLimit;
  #active = 0;
  #retired = false;
  /** Streams after this one were not processed: the server has said so. */
  #lastProcessed = Number.MAX_SAFE_INTEGER;
  #lost: ConnectionError | undefined;

  constructor({ socket, origin, clock, keepAlive, onChange }: Http2ConnectionOptions) {
    this.#origin = origin;
    this.#onChange = onChange;
    const settings = { enablePush: false, initialWindowSize: streamWindowBytes, maxHeaderListSize: maxHeaderBytes };
    const session = connect(origin, { createConnection: () => socket, settings, maxSessionMemory });
    this.#session = session;
    session.setLocalWindowSize(connectionWindowBytes);
    session.unref();
    session.on("remoteSettings", ({ maxConcurrentStreams = unknownLimit }) => {
      this.#limit = maxConcurrentStreams;
      onChange();
    });
    session.on("goaway", (_code, lastStreamId) => {
      this.#lastProcessed = lastStreamId;
      this.retire();
    });
    session.on("error", (error) => {
      this.#lost ??= new ConnectionError(`the connection to ${origin} was lost: ${error.message}`, { cause: error });
      this.retire();
    });
    session.on("close", () => {
      this.#heartbeat[Symbol.dispose]();
      this.#retired = true;
      onChange();
    });
    this.#heartbeat = heartbeat({ clock, ...keepAlive, ping: (alive) => this.#ping(alive), onDead: () => this.#giveUp(keepAlive) });
  }

  /** How many requests it takes right now. */
  get free(): number {
    return this.#retired ? 0 : this.#limit - this.#active;
  }

  /** It takes no more requests, but some may be under way. */
  get retired(): boolean {
    return this.#retired;
  }

  get gone(): boolean {
    return this.#session.destroyed;
  }

  /** Takes no more requests, and ends with the last one under way. */
  retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    this.#closeWhenIdle();
    this.#onChange();
  }

  /** Ends at once; requests under way fail with this error. */
  destroy(error: ConnectionError): void {
    this.#lost ??= error;
    // The session emits its end only when the socket has ended.
    this.#heartbeat[Symbol.dispose]();
    this.#session.destroy();
  }

  /** Not before: closing would refuse what has not left this process yet. */
  #closeWhenIdle(): void {
    if (this.#retired && this.#active === 0 && !this.#session.closed) this.#session.close();
  }

  #ping(alive: () => void): void {
    if (this.gone) return;
    this.#session.ping((error) => {
      if (error === null) alive();
    });
  }

  #giveUp({ timeoutMs }: { readonly timeoutMs: number }): void {
    this.destroy(new ConnectionError(`the connection to ${this.#origin} was lost: no answer to a ping for ${timeoutMs / 1000} s`));
  }

  /** @throws ConnectionError, the signal's reason */
  send({ method, path, body, signal }: TransportRequest, headers: OutgoingHeaders): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const stream = this.#open({ ...headers, ":method": method, ":path": path }, body === undefined);
      const settle = (): void => {
        stream.off("response", onResponse).off("error", onFailure).off("close", onFailure);
        signal?.removeEventListener("abort", onAbort);
      };
      const onAbort = (): void => {
        settle();
        abandon(stream);
        reject(signal?.reason);
      };
      const onFailure = (error?: Error): void => {
        settle();
        stream.on("error", () => undefined);
        reject(this.#failureOf(stream, error, this.#isUnsent(stream)));
      };
      const onResponse = (received: IncomingHttpHeaders): void => {
        settle();
        resolve(this.#response(stream, received, signal));
      };
      stream.once("response", onResponse).once("error", onFailure).once("close", onFailure);
      signal?.addEventListener("abort", onAbort, { once: true });
      if (body !== undefined) stream.end(body);
    });
  }

  #open(headers: OutgoingHeaders, endStream: boolean): ClientHttp2Stream {
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(headers, { endStream });
    } catch (error) {
      const why = messageOf(error);
      throw new ConnectionError(`the request was not sent to ${this.#origin}: ${why}`, { unsent: true, cause: error });
    }
    if (this.#active++ === 0) this.#session.ref();
    stream.once("close", () => {
      if (--this.#active === 0 && !this.#session.destroyed) this.#session.unref();
      this.#closeWhenIdle();
      this.#onChange();
    });
    return stream;
  }

  #response(stream: ClientHttp2Stream, received: IncomingHttpHeaders, signal: AbortSignal | undefined): TransportResponse {
    const headers: Record<string, string | undefined> = {};
    for (const name in received) {
      if (name.startsWith(":")) continue;
      const value = received[name];
      headers[name] = typeof value === "string" ? value : value?.join(", ");
    }
    return readableResponse({
      status: Number(received[":status"]),
      headers,
      body: stream,
      signal,
      // Node ends such a body as if it were whole.
      brokenOff: () => (stream.rstCode === constants.NGHTTP2_NO_ERROR ? undefined : this.#failureOf(stream, undefined, false)),
      giveUp: () => abandon(stream),
    });
  }

  #failureOf(stream: ClientHttp2Stream, error: Error | undefined, unsent: boolean): ConnectionError {
    const why = this.#lost?.message ?? `the server at ${this.#origin} ended the request: ${error?.message ?? codeName(stream.rstCode)}`;
    return new ConnectionError(why, { unsent, cause: this.#lost ?? error });
  }

  /** Of a stream without an answer. */
  #isUnsent({ id, rstCode }: ClientHttp2Stream): boolean {
    if (id === undefined || id > this.#lastProcessed || rstCode === constants.NGHTTP2_REFUSED_STREAM) return true;
    // Servers on Node refuse so when they have not cleared away yet what was cancelled just before.
    return rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM && !this.#retired;
  }
}

/** Closing alone waits until what has arrived is read. */
function abandon(stream: ClientHttp2Stream): void {
  stream.on("error", () => undefined).close(constants.NGHTTP2_CANCEL);
  stream.destroy();
}

const codeNames = ["NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED"];
const laterCodeNames = ["FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM"];

const codeName = (code: number): string => [...codeNames, ...laterCodeNames][code] ?? `code ${code}`;
