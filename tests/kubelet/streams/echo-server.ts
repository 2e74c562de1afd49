/** On a port of this machine: repeats what it has read once that has ended, or as it comes. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface EchoServer extends AsyncDisposable {
  readonly port: number;
  /** Connections that are open. */
  readonly open: ReadonlySet<Socket>;
}

export async function startEcho(when: "at once" | "at the end"): Promise<EchoServer> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => open.delete(socket));
    if (when === "at once") socket.pipe(socket);
    else repeat(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    open,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function repeat(socket: Socket): void {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("end", () => socket.end(Buffer.concat(chunks)));
}
