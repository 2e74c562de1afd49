/** For pages, and for whatever else has fetch. */
import { type Clock, messageOf, systemClock, trimRight } from "@coxswain/machinery";
import { type Credential, type Credentials, fixedCredential, withCredential } from "../transport/credentials.ts";
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from "../transport/transport.ts";
import { openFetchSocket } from "./fetch-socket.ts";

/** What `fetchTransport` sends to, and with what. */
export interface FetchTransportOptions {
  /** `https://host:6443`, with a path when the cluster is served under one. Empty: where the page is from. */
  readonly server: string;
  /** Sent with each request, but not with WebSockets: pages cannot. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Certificates are left out: pages cannot choose one. Default: anonymous. */
  readonly credentials?: Credentials;
  readonly fetch?: typeof fetch;
  /** Default: the runtime's. Where it has none, there is no exec, attach and port-forward. */
  readonly WebSocket?: typeof WebSocket;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Creates a transport that sends with `fetch`, as a page has it; WebSockets carry the token as a subprotocol. */
export function fetchTransport(options: FetchTransportOptions): Transport {
  const { credentials = fixedCredential({}), clock = systemClock, WebSocket: Socket = globalThis.WebSocket } = options;
  const server = trimRight(options.server, "/");
  const closing = new AbortController();
  const until = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
  return {
    send: (request) =>
      withCredential(credentials, (credential) => attempt(request, credential, { ...options, server, signal: until(request.signal) }), {
        statusOf: (answer) => answer.status,
        discard: (answer) => answer.cancel(),
        signal: request.signal,
      }),
    ...(Socket === undefined
      ? {}
      : {
          open: (request) => openFetchSocket(request, { server, credentials, WebSocket: Socket, clock, signal: until(request.signal) }),
        }),
    async [Symbol.asyncDispose]() {
      closing.abort(new ConnectionError("the client is closed", { unsent: true }));
    },
  };
}

type Attempt = FetchTransportOptions & { readonly signal: AbortSignal };

async function attempt(
  { method, path, headers, body }: TransportRequest,
  { authorization }: Credential,
  { server, headers: always, fetch: send = globalThis.fetch, signal }: Attempt,
): Promise<TransportResponse> {
  signal.throwIfAborted();
  try {
    const response = await send(`${server}${path}`, {
      method,
      headers: { ...headers, ...always, ...(authorization === undefined ? {} : { authorization }) },
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      signal,
      cache: "no-store",
    });
    return answerOf(response, signal);
  } catch (error) {
    throw failure(error, signal);
  }
}

function answerOf(response: Response, signal: AbortSignal): TransportResponse {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    async bytes() {
      try {
        return new Uint8Array(await response.arrayBuffer());
      } catch (error) {
        throw failure(error, signal);
      }
    },
    chunks: () => chunksOf(response, signal),
    cancel() {
      // What is being read already can be given up only by its reader.
      if (!response.bodyUsed) response.body?.cancel().catch(() => undefined);
    },
  };
}

async function* chunksOf({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw failure(error, signal);
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function failure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const why = messageOf(error);
  return new ConnectionError(`no answer from the server: ${why}`, { cause: error });
}
