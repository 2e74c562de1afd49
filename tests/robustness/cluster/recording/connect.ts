/** How clients of a run reach the servers, and the namespace that they have for themselves. */
import { setTimeout as pause } from "node:timers/promises";
import type { Transport } from "@coxswain/client";
import { http2Transport } from "@coxswain/client/node";
import { systemClock } from "@coxswain/machinery";
import { type Cluster, token } from "./cluster.ts";
import type { Target } from "./recorder.ts";
import { namespacePath, send } from "./requests.ts";

/** What is cut off is found out within seconds. */
export const connectTo = (url: string): Transport =>
  http2Transport({
    server: url,
    clock: systemClock,
    tls: { insecure: true },
    credentials: { current: () => Promise.resolve({ authorization: `Bearer ${token}` }) },
    connectTimeoutMs: 2_000,
    keepAlive: { intervalMs: 1_000, timeoutMs: 1_500 },
  });

/** A connection to each server; several to one that has threads, which are spread over these. */
export const targetsOf = ({ servers }: Pick<Cluster, "servers">, connections: AsyncDisposableStack): readonly Target[] =>
  servers.flatMap(({ name, url, threads }) =>
    Array.from({ length: threads === 1 ? 1 : 2 * threads }, (_, i) => ({
      name: threads === 1 ? name : `${name}/${i + 1}`,
      transport: connections.use(connectTo(url)),
    })),
  );

/** However loaded the machine is. */
const createMs = 60_000;

/** @returns the resourceVersion at which it is empty */
export async function createNamespace(targets: readonly Target[], name: string): Promise<number> {
  const { transport } = targets[0] as Target;
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  for (const end = performance.now() + createMs; ; await pause(100)) {
    const made = await send(transport, { method: "POST", path: "/api/v1/namespaces", body, timeoutMs: 20_000 });
    const empty = await send(transport, { method: "GET", path: namespacePath(name), timeoutMs: 20_000 });
    // 409 where an answer was lost.
    const isThere = typeof made === "object" && (made.status === 201 || made.status === 409);
    if (isThere && typeof empty === "object" && empty.status === 200) {
      if (empty.body.items?.length !== 0) throw new Error(`the namespace ${name} has been used before`);
      return Number(empty.body.metadata?.resourceVersion);
    }
    if (performance.now() > end) throw new Error(`no namespace ${name}: ${JSON.stringify([made, empty])}`);
  }
}
