/** One thread of components, from the side of the server: from its start until it has ended. */
import { MessageChannel } from "node:worker_threads";
import type { ApiServer, Log } from "@coxswain/apiserver";
import type { Clock } from "@coxswain/machinery";
import type { ServedNames } from "@coxswain/pki/node";
import type { InProcessCallers, InProcessUser } from "../in-process/in-process-callers.ts";
import { servePort } from "../message-port/port-server.ts";
import type { Content, OwnFromThread, ThreadCalls, ThreadSettings, ToThread } from "./thread-protocol.ts";
import { WorkerThread } from "./worker-thread.ts";

export interface ThreadHost {
  readonly server: Pick<ApiServer, "handle">;
  readonly callers: InProcessCallers;
  /** Whom its components may be. */
  readonly isAllowed: (user: InProcessUser) => boolean;
  /** Sends the content `kubeletServing`, now and when it changes. */
  readonly serveKubelet: (node: string, names: ServedNames) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export class RunningThread extends WorkerThread<ThreadCalls, OwnFromThread> {
  constructor(settings: Omit<ThreadSettings, "port">, host: ThreadHost) {
    const { clock, log, serveKubelet } = host;
    const { port1, port2 } = new MessageChannel();
    const served = servePort(host.server, port1, host);
    super({
      script,
      data: { ...settings, port: port2 } satisfies ThreadSettings,
      transfer: [port2],
      receive: ({ node, names }) => serveKubelet(node, names),
      onEnd: () => served[Symbol.dispose](),
      clock,
      log,
    });
  }

  send(content: Content): void {
    this.post({ kind: "content", ...content } satisfies ToThread);
  }
}

const script = new URL(import.meta.url.endsWith(".ts") ? "../../bin/component-thread.mjs" : "./component-thread.js", import.meta.url);
