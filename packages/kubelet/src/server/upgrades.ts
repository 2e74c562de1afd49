/** What a client can ask a connection to become, and the handshake for it. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type AcceptedSocket, acceptWebSocket } from "../streams/websocket/channel-socket.ts";
import { refuseUpgrade, ServerError } from "./answer.ts";

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came with the end of the request. */
  readonly head: Buffer;
}

export type Upgraded =
  | { readonly kind: "spdy"; readonly protocol: string }
  | ({ readonly kind: "websocket" } & AcceptedSocket)
  /** The client got the reason. */
  | { readonly kind: "refused" };

/** In the order of preference; an empty name is a client that names none. */
export interface Protocols {
  readonly spdy: readonly string[];
  readonly webSocket: readonly string[];
}

export const isUpgrade = ({ headers }: IncomingMessage): boolean =>
  isWebSocket(headers.upgrade) || isSpdy(headers.upgrade) || isTcp(headers.upgrade);

/** The bytes of one connection to a port of a Pod and nothing else, for API servers whose Pods have no network. */
export const isTcp = (upgrade: string | undefined): boolean => upgrade?.toLowerCase() === "tcp";

const isWebSocket = (upgrade: string | undefined): boolean => upgrade?.toLowerCase() === "websocket";
const isSpdy = (upgrade: string | undefined): boolean => upgrade?.toLowerCase() === "spdy/3.1";

export async function accept(upgrade: Upgrade, { spdy, webSocket }: Protocols): Promise<Upgraded> {
  const { request, socket, head } = upgrade;
  const isSocket = isWebSocket(request.headers.upgrade);
  const supported = isSocket ? webSocket : spdy;
  const offered = listed(request.headers[isSocket ? "sec-websocket-protocol" : streamProtocol]);
  const protocol = offered.length === 0 ? supported.find((name) => name === "") : offered.find((name) => supported.includes(name));
  if (protocol === undefined) {
    const message = `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(" ")}], server accepts [${supported.join(" ")}]`;
    refuseUpgrade(socket, new ServerError(403, message), isSocket ? {} : { "X-Accepted-Stream-Protocol-Versions": supported.join(", ") });
    return { kind: "refused" };
  }
  if (isSocket) {
    const accepted = await acceptWebSocket(request, socket, head, protocol);
    return accepted === undefined ? { kind: "refused" } : { kind: "websocket", ...accepted };
  }
  const named = protocol === "" ? "" : `X-Stream-Protocol-Version: ${protocol}\r\n`;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${named}\r\n`);
  return { kind: "spdy", protocol };
}

const streamProtocol = "x-stream-protocol-version";

/** Clients may give several in one header or each in its own. */
const listed = (header: string | string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .join(",")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
