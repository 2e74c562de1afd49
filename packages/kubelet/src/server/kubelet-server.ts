/** The port of a kubelet, over TLS, to callers with a certificate that counts. One server may stand for many nodes. */
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "@coxswain/machinery";
import { type Access, administratorsOnly } from "./access.ts";
import { answerRequests } from "./answer-requests.ts";
import { CpuRates } from "./cpu-rates.ts";
import type { ServedNode } from "./served-node.ts";
import { isUpgrade } from "./upgrades.ts";

/** What the kubelet's server needs: the nodes that it serves, its certificate, and who may ask. */
export interface KubeletServerOptions {
  /**
   * By name, as they are at the time of a request. The name in its `Host` header says which one it is for, where there are
   * several; Pods are found on any.
   */
  readonly nodes: ReadonlyMap<string, ServedNode>;
  readonly tls: { readonly cert: string; readonly key: string };
  /** In PEM: signs the certificates of callers. */
  readonly clientAuthority: string;
  /** Default: members of `system:masters`. */
  readonly access?: Access;
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
  /** What a connection of a command or a port may be silent for. Milliseconds; default: 4 hours. */
  readonly idleMs?: number;
}

/** The kubelet's server answers for logs, exec, attach, port-forward, metrics and statistics. */
export interface KubeletServer extends AsyncDisposable {
  listen(port: number, address: string): Promise<AddressInfo>;
  /** Serves with another certificate from the next connection on. */
  setCredentials(tls: KubeletServerOptions["tls"]): void;
  /** Asks for certificates of this authority from the next connection on. */
  setClientAuthority(pem: string): void;
}

const defaultIdleMs = 4 * 60 * 60_000;
const maxHeaderMs = 30_000;
/** Longer than from one look at all figures to the next. */
const keepAliveMs = 90_000;

/** Makes a server that listens once it runs. */
export function createKubeletServer(options: KubeletServerOptions): KubeletServer {
  const { clock, log, tls, clientAuthority, access = administratorsOnly, idleMs = defaultIdleMs } = options;
  const sockets = new Set<Socket>();
  let context = { ...tls, ca: clientAuthority };
  const server = createServer({
    ...context,
    requestCert: true,
    // Who they are is asked with each request, so that they learn why it is refused.
    rejectUnauthorized: false,
    headersTimeout: maxHeaderMs,
    keepAliveTimeout: keepAliveMs,
    shouldUpgradeCallback: isUpgrade,
  });
  server.on("secureConnection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  answerRequests(server, { served: { nodes: options.nodes, clock, rates: new CpuRates() }, access, idleMs, log });

  return {
    listen: (port, address) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, address, () => {
          server.off("error", reject);
          server.on("error", (error) => log.error({ error }, "failed to serve the kubelet's port"));
          const bound = server.address();
          if (bound === null || typeof bound === "string") reject(new Error("the port is none"));
          else resolve(bound);
        });
      }),
    setCredentials(tls) {
      context = { ...context, ...tls };
      server.setSecureContext(context);
    },
    setClientAuthority(ca) {
      context = { ...context, ca };
      server.setSecureContext(context);
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
