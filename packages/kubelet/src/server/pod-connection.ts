/** `/portForward` with `Upgrade: tcp`: one connection into a Pod, where the network that its address belongs to is played. */
import type { Duplex } from "node:stream";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import { errorOf, ServerError } from "./answer.ts";
import type { Upgrade } from "./upgrades.ts";

interface PodPlace {
  readonly runtime: PodRuntime;
  readonly sandboxId: string;
}

/** Resolves when the connection has ended. @throws ServerError 502 with what keeps it from coming about */
export async function serveConnection({ socket, head }: Upgrade, query: URLSearchParams, place: PodPlace): Promise<void> {
  const port = Number(query.get("port"));
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new ServerError(400, 'query parameter "port" must be a port');
  const gone = new AbortController();
  socket.once("close", () => gone.abort(new Error("the client is gone")));
  const pod = await dial(place, port, gone.signal);
  if (socket.destroyed) return void pod.destroy();
  socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
  pod.write(head);
  pod.on("error", () => socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.once("close", () => pod.destroy());
  pod.once("close", () => {
    if (!pod.readableEnded) socket.destroy();
  });
  socket.pipe(pod);
  pod.pipe(socket);
  await closed;
}

async function dial({ runtime, sandboxId }: PodPlace, port: number, signal: AbortSignal): Promise<Duplex> {
  if (runtime.connect === undefined) throw new ServerError(400, "Pods of this node are reached by their addresses");
  try {
    return await runtime.connect(sandboxId, port, signal);
  } catch (error) {
    throw new ServerError(502, errorOf(error).message, { cause: error });
  }
}
