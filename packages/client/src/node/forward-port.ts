/** A port of this machine that leads to one of a Pod, as `kubectl port-forward` makes it. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { Client, Target } from "../contracts/client.ts";
import { portForward } from "../streams/port-forward.ts";

/** Which port of a Pod is reached at which port of this machine. */
export interface ForwardPortOptions {
  /** Of the Pod. */
  readonly port: number;
  /** Default: any that is free. */
  readonly localPort?: number;
  /** Default: 127.0.0.1. */
  readonly address?: string;
  /** Called with the reason when a connection ended early; the others go on. */
  readonly onError?: (error: unknown) => void;
  /** Ends everything. */
  readonly signal?: AbortSignal;
}

/** An open port of this machine; disposing it closes it and its connections. */
export interface ForwardedPort extends AsyncDisposable {
  readonly localPort: number;
}

/**
 * Resolves once it listens; the Pod is asked with the first connection. Who closes one direction closes both: the protocol
 * cannot close one alone.
 * @throws Error when the port is taken
 */
export async function forwardPort(client: Client, target: Target, options: ForwardPortOptions): Promise<ForwardedPort> {
  const { port, localPort = 0, address = "127.0.0.1", onError = () => undefined, signal } = options;
  signal?.throwIfAborted();
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const under = new Set<Promise<void>>();
  const server = createServer({ allowHalfOpen: false }, (socket) => {
    const carried = carry(client, target, { socket, port, signal: either })
      .catch((error) => {
        if (!either.aborted) onError(error);
      })
      .finally(() => under.delete(carried));
    under.add(carried);
  });
  server.listen(localPort, address);
  await once(server, "listening");
  const close = (): void => void server.close();
  either.addEventListener("abort", close, { once: true });
  const bound = server.address();
  return {
    localPort: typeof bound === "object" && bound !== null ? bound.port : localPort,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(under);
    },
  };
}

interface Carried {
  readonly socket: Socket;
  readonly port: number;
  readonly signal: AbortSignal;
}

async function carry(client: Client, target: Target, { socket, port, signal }: Carried): Promise<void> {
  const gone = new AbortController();
  socket.once("close", () => gone.abort()).on("error", () => undefined);
  try {
    using forwarded = await portForward(client, target, port, { signal: AbortSignal.any([signal, gone.signal]) });
    const up = (async () => {
      for await (const chunk of socket) await forwarded.write(chunk);
    })();
    const down = (async () => {
      for await (const chunk of forwarded.data) if (!socket.write(chunk)) await once(socket, "drain", { signal: gone.signal });
      socket.end();
    })();
    up.catch(() => undefined);
    await down;
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    socket.destroy();
  }
}
