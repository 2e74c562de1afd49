/** WebSockets as pages have them: without headers, without a way to slow the peer down. */
import { type Clock, sleep, trimRight } from "@coxswain/machinery";
import { MessageQueue, maxUnreadBytes } from "../streams/message-queue.ts";
import type { Credentials } from "../transport/credentials.ts";
import { ConnectionError, type Socket, type SocketRequest } from "../transport/transport.ts";

export interface FetchSocketOptions {
  readonly server: string;
  readonly credentials: Credentials;
  readonly WebSocket: typeof WebSocket;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** More than this unread, and the connection is given up. */
const tooManyBytes = 64 * maxUnreadBytes;
/** How often it is looked whether the network has caught up; milliseconds. */
const catchUpMs = 10;

/** @throws ConnectionError, never with the reason: browsers do not reveal it to pages */
export async function openFetchSocket(request: SocketRequest, options: FetchSocketOptions): Promise<Socket> {
  const { server, credentials, signal } = options;
  const { authorization } = await credentials.current({ signal });
  signal.throwIfAborted();
  const url = `${server}${request.path}`.replace(/^http/, "ws");
  const socket = new options.WebSocket(url, [...request.protocols, ...tokenProtocol(authorization)]);
  socket.binaryType = "arraybuffer";
  const queue = new MessageQueue();
  const lose = (error: unknown): void => {
    queue.end(error);
    socket.close();
  };
  socket.onmessage = ({ data }: { readonly data: unknown }) => {
    queue.push(typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data as ArrayBuffer));
    if (queue.unreadBytes > tooManyBytes) lose(new ConnectionError("more arrives than is read"));
  };
  const onAbort = (): void => lose(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onclose = ({ code }: { readonly code: number }) => {
      signal.removeEventListener("abort", onAbort);
      queue.end(code === brokenOff ? new ConnectionError("the WebSocket broke off") : undefined);
      reject(signal.aborted ? signal.reason : new ConnectionError("the WebSocket could not be opened"));
    };
  });
  return {
    protocol: socket.protocol,
    messages: () => queue.messages(),
    async send(message) {
      if (socket.readyState !== socket.OPEN) throw queue.error ?? new ConnectionError("the WebSocket is closed");
      socket.send(message as Uint8Array<ArrayBuffer>);
      while (socket.bufferedAmount > maxUnreadBytes && socket.readyState === socket.OPEN) await sleep(options.clock, catchUpMs, signal);
    },
    close() {
      queue.end();
      socket.close(1000);
    },
  };
}

/** The code of a connection that ended without a word. */
const brokenOff = 1006;

/**
 * The only place where a page can put a token.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#putting-a-bearer-token-in-a-request
 */
function tokenProtocol(authorization: string | undefined): readonly string[] {
  const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
  if (token === undefined) return [];
  const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(token)));
  return [`base64url.bearer.authorization.k8s.io.${trimRight(encoded, "=").replaceAll("+", "-").replaceAll("/", "_")}`];
}
