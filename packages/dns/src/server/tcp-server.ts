/** Connections of TCP, bounded in number, in time and in what they may ask before they take their answers. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { Timer } from "@coxswain/machinery";
import { ClientShares } from "../limits/client-shares.ts";
import type { ListeningServer, ServerOptions } from "./udp-server.ts";

export interface TcpBounds {
  /** Of all clients; one may have as many as are free. */
  readonly maxConnections: number;
  /** Bytes of a question. */
  readonly maxQuestionLength: number;
  /** Milliseconds without a whole question, or an answer. */
  readonly idleMs: number;
  /** Questions of one connection that wait for others' answers. */
  readonly maxPending: number;
  /** Bytes of answers that one connection may leave untaken. */
  readonly maxUntakenBytes: number;
  /** And all together: beyond it, connections that have some end. */
  readonly maxUntakenBytesOfAll: number;
}

export const defaultTcpBounds: TcpBounds = {
  maxConnections: 1000,
  maxQuestionLength: 4096,
  idleMs: 10_000,
  maxPending: 32,
  maxUntakenBytes: 128 * 1024,
  maxUntakenBytesOfAll: 32 * 1024 * 1024,
};

export async function listenTcp(options: ServerOptions, bounds: TcpBounds = defaultTcpBounds): Promise<ListeningServer> {
  const { host, port, metrics, mayAsk } = options;
  const connections = new Set<Connection>();
  const shares = new ClientShares(bounds.maxConnections);
  const untaken = { bytes: 0 };
  const server = createServer((socket) => {
    // Undefined: it is closed already.
    const { remoteAddress: client } = socket;
    if (client === undefined || mayAsk?.(client) === false || !shares.acquire(client)) {
      metrics.dropped();
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, client, { ...options, bounds, untaken });
    connections.add(connection);
    socket.on("close", () => {
      connections.delete(connection);
      shares.release(client);
    });
  });
  server.maxConnections = bounds.maxConnections;
  server.on("drop", () => metrics.dropped());
  server.listen(port, host);
  await once(server, "listening");
  server.on("error", options.onError);
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

interface ConnectionOptions extends ServerOptions {
  readonly bounds: TcpBounds;
  /** What no client has taken yet. */
  readonly untaken: { bytes: number };
}

class Connection {
  readonly #socket: Socket;
  readonly #client: string;
  readonly #options: ConnectionOptions;
  readonly #isIpv6: boolean;
  /** What came of a message that is not whole. */
  #rest: Uint8Array = new Uint8Array(0);
  #pending = 0;
  #idle: Timer | undefined;

  constructor(socket: Socket, client: string, options: ConnectionOptions) {
    this.#socket = socket;
    this.#client = client;
    this.#options = options;
    this.#isIpv6 = socket.remoteFamily === "IPv6";
    socket.on("close", () => this.#idle?.[Symbol.dispose]());
    this.#waitAgain();
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    // Whoever goes away in the middle of something does no harm.
    socket.on("error", () => socket.destroy());
    socket.on("drain", () => this.#goOn());
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Bytes alone do not count: a message that comes byte by byte would keep a place for ever. */
  #waitAgain(): void {
    this.#idle?.[Symbol.dispose]();
    this.#idle = this.#options.clock.schedule(this.#options.bounds.idleMs, () => this.#socket.destroy());
  }

  #read(bytes: Uint8Array): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#goOn();
  }

  /** Handles whole messages as long as there is room for their answers; reads no further else. */
  #goOn(): void {
    const socket = this.#socket;
    while (!socket.destroyed) {
      if (this.#isFull()) {
        socket.pause();
        return;
      }
      const length = this.#rest.length < 2 ? undefined : ((this.#rest[0] ?? 0) << 8) | (this.#rest[1] ?? 0);
      if (length !== undefined && length > this.#options.bounds.maxQuestionLength) {
        this.#reject();
        return;
      }
      if (length === undefined || this.#rest.length < 2 + length) break;
      const message = this.#rest.subarray(2, 2 + length);
      this.#rest = this.#rest.subarray(2 + length);
      this.#handle(message);
    }
    socket.resume();
  }

  #isFull(): boolean {
    const { maxPending, maxUntakenBytes } = this.#options.bounds;
    return this.#pending >= maxPending || this.#socket.writableLength > maxUntakenBytes;
  }

  #reject(): void {
    this.#options.metrics.dropped();
    this.#socket.destroy();
  }

  #handle(message: Uint8Array): void {
    this.#waitAgain();
    const { handler, onError } = this.#options;
    try {
      const answer = handler.handle(message, { protocol: "tcp", isIpv6: this.#isIpv6, client: this.#client });
      if (!(answer instanceof Promise)) this.#reply(answer);
      else this.#replyLater(answer).catch(onError);
    } catch (error) {
      onError(error);
    }
  }

  async #replyLater(answer: Promise<Uint8Array | undefined>): Promise<void> {
    this.#pending++;
    const later = await answer.finally(() => this.#pending--);
    this.#reply(later);
    this.#goOn();
  }

  /** A message that has no answer is no message of DNS: whatever else comes will be none either. */
  #reply(answer: Uint8Array | undefined): void {
    const { bounds, untaken } = this.#options;
    if (this.#socket.destroyed) return;
    if (answer === undefined) {
      this.#socket.destroy();
      return;
    }
    if (this.#socket.writableLength > 0 && untaken.bytes > bounds.maxUntakenBytesOfAll) {
      this.#reject();
      return;
    }
    this.#waitAgain();
    const framed = Buffer.concat([Uint8Array.of(answer.length >> 8, answer.length & 0xff), answer]);
    untaken.bytes += framed.length;
    // Called for what is never taken, too, once the connection has ended.
    this.#socket.write(framed, () => {
      untaken.bytes -= framed.length;
    });
  }
}
