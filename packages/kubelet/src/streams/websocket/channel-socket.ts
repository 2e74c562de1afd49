/** Several streams over one WebSocket: each message is the number of a channel in one byte, and what is sent on it. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { ByteQueue } from "../byte-queue.ts";

export interface ChannelSocketOptions {
  /** Base64 of the data in text messages; the number of the channel is a digit then. */
  readonly base64: boolean;
  /** Whether `[255, channel]` ends a channel: since version 5. */
  readonly closes: boolean;
  /** On which the client may send. */
  readonly readable: readonly number[];
}

/** As much as Kubernetes takes in one message. */
const maxMessageBytes = 32 * 1024 * 1024;
/** Of all channels, before the connection waits. Bytes. */
const maxUnreadBytes = 1024 * 1024;
const closeChannel = 255;
const normal = 1000;

export interface AcceptedSocket {
  readonly socket: WebSocket;
  /** Below it. */
  readonly connection: Duplex;
  /** Empty where none was named. */
  readonly protocol: string;
}

/**
 * Undefined when the request is none for a WebSocket and was answered.
 * @param protocol of those that the client offers, or empty
 */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  protocol: string,
): Promise<AcceptedSocket | undefined> {
  const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: maxMessageBytes });
  // Names of Kubernetes' protocols have slashes, which `ws` takes none with.
  delete request.headers["sec-websocket-protocol"];
  if (protocol !== "") server.on("headers", (headers) => headers.push(`Sec-WebSocket-Protocol: ${protocol}`));
  return new Promise((resolve) => {
    server.once("wsClientError", (_error, refused) => {
      refused.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      resolve(undefined);
    });
    server.handleUpgrade(request, socket, head, (accepted) => resolve({ socket: accepted, connection: socket, protocol }));
  });
}

export class ChannelSocket implements Disposable {
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #options: ChannelSocketOptions;
  readonly #channels = new Map<number, ByteQueue>();
  #unread = 0;

  constructor({ socket, connection }: Pick<AcceptedSocket, "socket" | "connection">, options: ChannelSocketOptions) {
    this.#socket = socket;
    this.#connection = connection;
    this.#options = options;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    for (const channel of options.readable) this.#channels.set(channel, new ByteQueue((bytes) => this.#taken(bytes)));
    socket.on("message", (data) => this.#receive(bytesOf(data)));
    socket.on("error", () => socket.terminate());
    socket.once("close", () => {
      for (const queue of this.#channels.values()) queue.end();
    });
  }

  /** What the client sends on a channel, to one reader. */
  read(channel: number): AsyncIterable<Uint8Array> | undefined {
    return this.#channels.get(channel);
  }

  /** Nothing more is expected on a channel. */
  stopReading(channel: number): void {
    this.#channels.get(channel)?.end();
  }

  /** Resolves once it is handed on. Rejects when the client is gone. */
  write(channel: number, data: Uint8Array): Promise<void> {
    const message = this.#options.base64 ? `${channel}${Buffer.from(data).toString("base64")}` : withNumber(channel, data);
    return new Promise((resolve, reject) => {
      this.#socket.send(message, (error) => (error == null ? resolve() : reject(error)));
    });
  }

  /** Says goodbye, and closes its side of the connection: some clients wait for that alone. */
  end(): void {
    // A paused socket would never see the client's own goodbye.
    for (const queue of this.#channels.values()) queue.discard();
    this.#socket.resume();
    this.#socket.close(normal);
    this.#connection.end();
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }

  #receive(message: Buffer): void {
    const [first = 0] = message;
    const { base64, closes } = this.#options;
    if (message.length === 0) return;
    if (closes && first === closeChannel) {
      this.#channels.get(message[1] ?? -1)?.end();
      return;
    }
    const queue = this.#channels.get(base64 ? first - zero : first);
    const data = base64 ? Buffer.from(message.toString("latin1", 1), "base64") : message.subarray(1);
    if (queue === undefined) return;
    this.#unread += data.length;
    queue.push(data);
    if (this.#unread > maxUnreadBytes) this.#socket.pause();
  }

  #taken(bytes: number): void {
    this.#unread -= bytes;
    if (this.#unread <= maxUnreadBytes / 2 && this.#socket.isPaused) this.#socket.resume();
  }
}

const zero = 0x30;

function withNumber(channel: number, data: Uint8Array): Uint8Array {
  const message = Buffer.allocUnsafe(data.byteLength + 1);
  message[0] = channel;
  message.set(data, 1);
  return message;
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
