/** What becomes of each request to a kubelet: whether it is allowed, its answer, and what went wrong with it. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Access, checkAccess } from "./access.ts";
import { answerText, errorOf, refuseUpgrade, ServerError } from "./answer.ts";
import { endWhenIdle } from "./idle.ts";
import { nodeNameOf, type Served, serveRequest, serveUpgrade } from "./serve.ts";

export interface Answering {
  readonly served: Served;
  /** Undefined for callers of the same process. */
  readonly access: Access | undefined;
  /** Undefined: connections may be silent for ever. */
  readonly idleMs: number | undefined;
  readonly log: { error(fields: object, message: string): void };
}

export function answerRequests(server: Pick<Server, "on">, { served, access, idleMs, log }: Answering): void {
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    void answer(request, response);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void answerUpgrade(request, socket, head);
  });

  async function check(request: IncomingMessage): Promise<void> {
    if (access !== undefined) await checkAccess(request, access, nodeNameOf(served, request), served.clock.now());
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => response.destroy());
    try {
      await check(request);
      await serveRequest(served, request, response);
    } catch (error) {
      const { status, message } = toServerError(error);
      if (response.headersSent) response.destroy();
      else answerText(response, status, message);
    }
  }

  async function answerUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    using _idle = idleMs === undefined ? undefined : endWhenIdle(request.socket, idleMs, served.clock);
    try {
      await check(request);
      await serveUpgrade(served, { request, socket, head });
    } catch (error) {
      refuseUpgrade(socket, toServerError(error));
    }
  }

  function toServerError(error: unknown): ServerError {
    if (!(error instanceof ServerError)) log.error({ error }, "failed to answer a request to the kubelet");
    return errorOf(error);
  }
}
