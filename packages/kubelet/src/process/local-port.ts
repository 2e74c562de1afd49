/** A connection to a port of this machine, on which the processes of all Pods listen. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Duplexed } from "../runtime/pod-runtime.ts";
import { RuntimeError } from "../runtime/runtime-error.ts";

/** @throws RuntimeError `refused` when the port is closed */
export async function connectLocally(port: number, signal: AbortSignal): Promise<Duplexed> {
  const socket = await connected("127.0.0.1", port, signal).catch(() => connected("::1", port, signal));
  const onAbort = () => socket.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  socket.once("close", () => signal.removeEventListener("abort", onAbort));
  return {
    readable: socket,
    async write(chunk) {
      if (socket.destroyed || socket.write(chunk)) return;
      await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
    },
    end: () => void socket.end(),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

async function connected(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host, port, allowHalfOpen: true });
  try {
    await once(socket, "connect", { signal });
    return socket.on("error", () => undefined);
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    throw new RuntimeError("refused", `failed to connect to localhost:${port}: connection refused`, { cause: error });
  }
}
