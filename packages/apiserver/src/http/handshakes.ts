/** Connections on which TLS is not yet spoken: a client that connects and says nothing must not keep the port from closing. */
import type { Server, Socket } from "node:net";

export class Handshakes {
  /** By the client's address and port: the socket of TLS is another object than the one below it. */
  readonly #pending = new Map<string, Socket>();

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      const key = keyOf(socket);
      this.#pending.set(key, socket);
      socket.once("close", () => {
        if (this.#pending.get(key) === socket) this.#pending.delete(key);
      });
    });
    server.on("secureConnection", (socket: Socket) => this.#pending.delete(keyOf(socket)));
  }

  /** Ends those that are under way: nobody has asked for anything there. */
  destroy(): void {
    for (const socket of this.#pending.values()) socket.destroy();
  }
}

const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
