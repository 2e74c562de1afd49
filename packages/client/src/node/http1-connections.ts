/** HTTP/1.1, for servers and proxies that speak nothing newer: one request at a time on each of as many connections as it takes. */
import { Agent, type ClientRequest, type IncomingMessage, request as send } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ConnectionError, type TransportRequest, type TransportResponse } from "../transport/transport.ts";
import type { OutgoingHeaders } from "./http2-connection.ts";
import { readableResponse } from "./readable-response.ts";

/** As client-go keeps for one host. */
const maxFreeSockets = 25;
const maxHeaderSize = 64 * 1024;

/** Has its connections made by `dial`, TLS and proxy included. */
export class DialingAgent extends Agent {
  readonly #dial: () => Promise<Socket>;
  readonly #made = new Set<Socket>();

  constructor(dial: () => Promise<Socket>) {
    super({ keepAlive: true, maxFreeSockets });
    this.#dial = dial;
  }

  override createConnection(_options: unknown, made: (error: Error | null, socket: Duplex) => void): undefined {
    this.#dial().then(
      (socket) => {
        this.#made.add(socket);
        socket.once("close", () => this.#made.delete(socket));
        made(null, socket);
      },
      // The types know no failure without a socket.
      (error) => (made as (error: Error) => void)(error),
    );
  }

  /** Connections under way too, which the agent no longer knows once they are upgraded. */
  override destroy(): void {
    super.destroy();
    for (const socket of this.#made) socket.destroy();
  }
}

export class Http1Connections {
  readonly #agent: DialingAgent;
  readonly #server: URL;

  constructor(server: URL, dial: () => Promise<Socket>) {
    this.#server = server;
    this.#agent = new DialingAgent(dial);
  }

  /** @throws ConnectionError, the signal's reason */
  send({ method, path, body, signal }: TransportRequest, headers: OutgoingHeaders): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(body.byteLength) };
      const request = send({
        agent: this.#agent,
        host: this.#server.hostname,
        method,
        path,
        headers: { ...headers, host: this.#server.host, ...length },
        maxHeaderSize,
      });
      const settle = (): void => {
        request
          .off("response", onResponse)
          .off("error", onError)
          .on("error", () => undefined);
        signal?.removeEventListener("abort", onAbort);
      };
      const onAbort = (): void => {
        settle();
        request.destroy();
        reject(signal?.reason);
      };
      const onError = (error: Error): void => {
        settle();
        reject(this.#failureOf(error));
      };
      const onResponse = (response: IncomingMessage): void => {
        settle();
        resolve(answerOf(request, response, signal));
      };
      request.once("response", onResponse).once("error", onError);
      signal?.addEventListener("abort", onAbort, { once: true });
      request.end(body);
    });
  }

  #failureOf(error: Error): ConnectionError {
    if (error instanceof ConnectionError) return error;
    return new ConnectionError(`the connection to ${this.#server.origin} was lost: ${error.message}`, { cause: error });
  }

  destroy(): void {
    this.#agent.destroy();
  }
}

function answerOf(request: ClientRequest, response: IncomingMessage, signal: AbortSignal | undefined): TransportResponse {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(response.headers)) headers[name] = typeof value === "string" ? value : value?.join(", ");
  return readableResponse({
    status: response.statusCode ?? 0,
    headers,
    body: response,
    signal,
    brokenOff: () => (response.complete ? undefined : new ConnectionError("the answer broke off")),
    giveUp: () => request.destroy(),
  });
}
