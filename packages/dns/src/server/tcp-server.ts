/** Connections of TCP, bounded in number, in time and in what they may ask before they take their answers. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { Timer } from "@coxswain/machinery";
import type { ListeningServer, ServerOptions } from "./udp-server.ts";

export interface TcpBounds {
  readonly maxConnections: number;
  /** Milliseconds without a whole question, or an answer. */
  readonly idleMs: number;
  /** Questions of one connection that wait for others' answers. */
  readonly maxPending: number;
  /** Bytes of answers that one connection may leave untaken. */
  readonly maxUntakenBytes: number;
}

export const defaultTcpBounds: TcpBounds = { maxConnections: 1000, idleMs: 10_000, maxPending: 32, maxUntakenBytes: 256 * 1024 };

export async function listenTcp(options: ServerOptions, bounds: TcpBounds = defaultTcpBounds): Promise<ListeningServer> {
  const { host, port, metrics, mayAsk } = options;
  const connections = new Set<Connection>();
  const server = createServer((socket) => {
    if (mayAsk?.(socket.remoteAddress ?? "") === false) {
      metrics.dropped();
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, options, bounds);
    connections.add(connection);
    socket.on("close", () => connections.delete(connection));
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

class Connection {
  readonly #socket: Socket;
  readonly #options: ServerOptions;
  readonly #bounds: TcpBounds;
  readonly #isIpv6: boolean;
  /** What came of a message that is not whole. */
  #rest: Uint8Array = new Uint8Array(0);
  #pending = 0;
  #idle: Timer | undefined;

  constructor(socket: Socket, options: ServerOptions, bounds: TcpBounds) {
    this.#socket = socket;
    this.#options = options;
    this.#bounds = bounds;
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
    this.#idle = this.#options.clock.schedule(this.#bounds.idleMs, () => this.#socket.destroy());
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
      if (length === undefined || this.#rest.length < 2 + length) break;
      const message = this.#rest.subarray(2, 2 + length);
      this.#rest = this.#rest.subarray(2 + length);
      this.#handle(message);
    }
    socket.resume();
  }

  #isFull(): boolean {
    return this.#pending >= this.#bounds.maxPending || this.#socket.writableLength > this.#bounds.maxUntakenBytes;
  }

  #handle(message: Uint8Array): void {
    this.#waitAgain();
    const { handler, onError } = this.#options;
    const answer = handler.handle(message, { protocol: "tcp", isIpv6: this.#isIpv6 });
    if (!(answer instanceof Promise)) {
      this.#reply(answer);
      return;
    }
    this.#pending++;
    answer
      .then((later) => {
        this.#pending--;
        this.#reply(later);
        this.#goOn();
      })
      .catch(onError);
  }

  /** A message that has no answer is no message of DNS: whatever else comes will be none either. */
  #reply(answer: Uint8Array | undefined): void {
    if (this.#socket.destroyed) return;
    if (answer === undefined) {
      this.#socket.destroy();
      return;
    }
    this.#waitAgain();
    this.#socket.write(Buffer.concat([Uint8Array.of(answer.length >> 8, answer.length & 0xff), answer]));
  }
}
