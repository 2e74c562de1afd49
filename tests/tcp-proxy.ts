/** Stands between a store and etcd, and does to its connections what networks do. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface TcpProxy extends AsyncDisposable {
  readonly url: string;
  /** Ends all connections; new ones come about. */
  cut(): void;
  /** Nothing passes, and nobody is told, until `resume`. */
  pause(): void;
  resume(): void;
  /** From now on each piece that etcd sends is dropped with its connection, by this chance. */
  loseAnswers(chance: () => boolean): void;
}

export async function proxyTo(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let isPaused = false;
  let isLost = (): boolean => false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    client.on("data", (piece) => void upstream.write(piece));
    upstream.on("data", (piece) => (isLost() ? end() : void client.write(piece)));
    if (isPaused) for (const socket of pair) socket.pause();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const cut = (): void => {
    for (const [client, upstream] of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  const all = (fn: (socket: Socket) => void): void => {
    for (const pair of pairs) pair.forEach(fn);
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    pause() {
      isPaused = true;
      all((socket) => socket.pause());
    },
    resume() {
      isPaused = false;
      all((socket) => socket.resume());
    },
    loseAnswers(chance) {
      isLost = chance;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      cut();
    },
  };
}
