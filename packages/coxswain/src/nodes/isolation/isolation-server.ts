/** Where kubelets of other processes ask whether NetworkPolicies count for a Pod: a socket that only this user may use. */

import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { NetworkedPod } from "@coxswain/kubelet";
import type { AskIsolation } from "./isolate-pod.ts";

/** What is said of a Pod: that a policy is about it, and then that its containers may start. */
export const answers = { selected: "selected", isolated: "isolated" } as const;

/** Answers at the path until it is disposed of. What a process that was killed has left there is replaced. */
export async function serveIsolation(path: string, ask: AskIsolation): Promise<AsyncDisposable> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    // Whoever has asked may have gone.
    socket.on("error", () => undefined);
    void answer(socket, ask);
  });
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  rmSync(path, { force: true });
  await listen(server, path);
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** The socket is made at once, and this user's alone from then on. */
async function listen(server: Server, path: string): Promise<void> {
  const listening = once(server, "listening");
  const mask = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(mask);
  }
  await listening;
}

async function answer(socket: Socket, ask: AskIsolation): Promise<void> {
  const gone = new AbortController();
  socket.once("close", () => gone.abort(new Error("the kubelet asks no longer")));
  try {
    for await (const line of createInterface(socket)) {
      await ask(readPod(line), { onSelected: () => void socket.write(`${answers.selected}\n`), signal: gone.signal });
      socket.end(`${answers.isolated}\n`);
      return;
    }
  } catch {
    // It asks again, or goes on without.
    socket.destroy();
  }
}

/** @throws Error for a text that names no Pod */
function readPod(text: string): NetworkedPod {
  const { uid, namespace, name, addresses }: Partial<NetworkedPod> = JSON.parse(text);
  if (uid === undefined || namespace === undefined || name === undefined || !Array.isArray(addresses)) throw new Error("this is no Pod");
  return { uid, namespace, name, addresses: addresses.map(String) };
}
