/** WebSockets with the TLS, the proxy and the credentials of the transport they belong to. */
import type { IncomingMessage } from "node:http";
import { parseJson, type Status, StatusError } from "@coxswain/machinery";
import WebSocket from "ws";
import { MessageQueue } from "../streams/message-queue.ts";
import { type Credential, type Credentials, withCredential } from "../transport/credentials.ts";
import { ConnectionError, type Socket, type SocketRequest } from "../transport/transport.ts";
import { type Destination, dial } from "./dial.ts";
import { heartbeat } from "./heartbeat.ts";
import type { OutgoingHeaders } from "./http2-connection.ts";

export interface WebSocketOptions {
  readonly to: Destination;
  /** Before every path. */
  readonly basePath: string;
  readonly credentials: Credentials;
  readonly headers: Readonly<OutgoingHeaders>;
  readonly keepAlive: { readonly intervalMs: number; readonly timeoutMs: number };
  /** Aborted when the transport closes. */
  readonly closing: AbortSignal;
}

type Opened =
  | { readonly kind: "open"; readonly socket: Socket }
  | { readonly kind: "refused"; readonly status: number; readonly error: Error };

const maxMessageBytes = 32 * 1024 * 1024;
const maxRefusalBytes = 64 * 1024;
/** How long the peer may take to say goodbye; milliseconds. */
const closeTimeout = 1_000;

/** @throws StatusError when the server refuses with one, ConnectionError otherwise */
export async function openWebSocket(request: SocketRequest, options: WebSocketOptions): Promise<Socket> {
  const opened = await withCredential(options.credentials, (credential) => attempt(request, credential, options), {
    statusOf: (one) => (one.kind === "refused" ? one.status : 101),
    discard: () => undefined,
    signal: request.signal,
  });
  if (opened.kind === "refused") throw opened.error;
  return opened.socket;
}

async function attempt(request: SocketRequest, credential: Credential, options: WebSocketOptions): Promise<Opened> {
  const { to, basePath, headers, closing } = options;
  const signal = request.signal === undefined ? closing : AbortSignal.any([request.signal, closing]);
  signal.throwIfAborted();
  const connection = await dial(to, { protocols: ["http/1.1"], certificate: credential.certificate, signal });
  const { authorization } = credential;
  const clientOptions = {
    createConnection: () => connection,
    headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    closeTimeout,
  };
  const socket = new WebSocket(`ws://${to.server.host}${basePath}${request.path}`, [...request.protocols], clientOptions);
  return new Promise((resolve, reject) => {
    const timer = to.clock.schedule(to.connectTimeoutMs, () => fail(new ConnectionError(`${to.server.origin} does not answer`)));
    const settle = (): void => {
      timer[Symbol.dispose]();
      signal.removeEventListener("abort", onAbort);
      socket.off("error", onError).off("open", onOpen);
    };
    const fail = (error: unknown): void => {
      settle();
      socket.on("error", () => undefined).terminate();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    const onError = (error: Error): void =>
      fail(new ConnectionError(`cannot open a WebSocket to ${to.server.origin}: ${error.message}`, { cause: error }));
    const onOpen = (): void => {
      settle();
      resolve({ kind: "open", socket: new NodeSocket(socket, signal, options) });
    };
    socket.once("open", onOpen).once("error", onError);
    socket.once("unexpected-response", (_request, response) => {
      refusal(response).then((refused) => {
        settle();
        connection.destroy();
        resolve(refused);
      }, fail);
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

async function refusal(response: IncomingMessage): Promise<Opened> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxRefusalBytes) break;
  }
  const text = Buffer.concat(chunks).toString();
  const status = response.statusCode ?? 0;
  const refused = new ConnectionError(`the server refused the WebSocket: ${status} ${text.trim().slice(0, 1_000)}`);
  return { kind: "refused", status, error: statusIn(text) ?? refused };
}

function statusIn(text: string): StatusError | undefined {
  try {
    const value = parseJson(text) as Partial<Status> | null;
    return value?.kind === "Status" ? new StatusError(value as Status) : undefined;
  } catch {
    return undefined;
  }
}

class NodeSocket implements Socket {
  readonly #socket: WebSocket;
  readonly #queue: MessageQueue;
  readonly #heartbeat: Disposable;
  /** Answers the heartbeat. */
  #alive = (): void => undefined;

  constructor(socket: WebSocket, signal: AbortSignal, { to, keepAlive }: WebSocketOptions) {
    this.#socket = socket;
    const pause = (): void => {
      this.#alive();
      socket.pause();
    };
    this.#queue = new MessageQueue({ onFull: pause, onRoom: () => socket.resume() });
    this.#heartbeat = heartbeat({
      clock: to.clock,
      ...keepAlive,
      ping: (alive) => {
        this.#alive = alive;
        // A reader that stalls does not read the answer to a ping either.
        if (socket.isPaused) alive();
        else socket.ping();
      },
      onDead: () => this.#lose(new ConnectionError(`the connection to ${to.server.origin} was lost: no answer to a ping`)),
    });
    const onAbort = (): void => this.#lose(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    socket.on("pong", () => this.#alive());
    socket.on("message", (data) => {
      this.#alive();
      this.#queue.push(bytesOf(data));
    });
    socket.on("error", (error) => this.#queue.end(new ConnectionError(`the WebSocket failed: ${error.message}`, { cause: error })));
    socket.on("close", (code) => {
      this.#heartbeat[Symbol.dispose]();
      signal.removeEventListener("abort", onAbort);
      this.#queue.end(code === brokenOff ? new ConnectionError(`the connection to ${to.server.origin} broke off`) : undefined);
    });
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  messages(): AsyncIterable<Uint8Array> {
    return this.#queue.messages();
  }

  send(message: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.send(message, { binary: true }, (error) => {
        if (error == null) resolve();
        else reject(this.#queue.error ?? new ConnectionError(`the WebSocket is closed: ${error.message}`, { cause: error }));
      });
    });
  }

  close(): void {
    // Whoever closes reads no more; a paused socket would never see the peer's goodbye.
    this.#queue.end();
    this.#heartbeat[Symbol.dispose]();
    this.#socket.resume();
    this.#socket.close(1000);
  }

  #lose(error: unknown): void {
    this.#queue.end(error);
    this.#heartbeat[Symbol.dispose]();
    this.#socket.terminate();
  }
}

/** The code of a connection that ended without a word. */
const brokenOff = 1006;

function bytesOf(data: WebSocket.RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
