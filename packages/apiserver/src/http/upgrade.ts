/**
 * What becomes of a connection on HTTP/1.1: a watch over a WebSocket, or a tunnel to a kubelet or another server that a request is
 * passed on to. Whatever else comes of a request for an upgrade is a plain answer.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Body, Messages, Reply, Sink } from "../contracts/http.ts";
import type { Deadlines } from "./deadlines.ts";
import { discard, textReply } from "./exchange.ts";
import { type Framing, requestOf, send, sinkOf } from "./http1.ts";
import type { Serving } from "./serving.ts";
import { acceptKey, byteProtocols, ClientFrames, closeFrame, framed, framedBytes, pong } from "./websocket.ts";
import { bearerProtocol } from "./websocket-protocol.ts";

/**
 * Any protocol may begin with a GET; SPDY, for commands and ports, with a POST as well. HTTP/2 that a client would rather speak is
 * none: such a request is answered as it is.
 */
export function isUpgradeRequest({ method = "", headers }: UpgradeHeaders): boolean {
  if (!namesUpgrade({ headers })) return false;
  const upgrade = joined(headers.upgrade).toLowerCase();
  return upgrade === "spdy/3.1" || (method === "GET" && !/(?:^|,)\s*(?:h2c|http\/|tls\/)/.test(upgrade));
}

/** Whether it asks for an upgrade to anything at all. */
export const namesUpgrade = ({ headers }: UpgradeHeaders): boolean =>
  joined(headers.upgrade) !== "" && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(joined(headers.connection));

const joined = (value: string | readonly string[] | undefined): string => [value ?? ""].flat().join();

interface UpgradeHeaders {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Answers one request that asks for an upgrade. Never rejects. */
export async function serveUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer, serving: Serving): Promise<void> {
  socket.on("error", () => socket.destroy());
  const request = requestOf(req, serving);
  const deadline = serving.deadlines.set(() => {
    if (!serving.isLongRunning(request)) socket.destroy();
  });
  socket.once("close", () => deadline.cancel());
  const reply = await serving.handler(request, new Uint8Array());
  if (socket.destroyed) return discard(reply);
  const { body } = reply;
  if (body.kind === "stream" || body.kind === "tunnel") deadline.cancel();
  if (body.kind === "tunnel") return join(socket, head, { ...reply, body }, serving);
  if (body.kind !== "stream" || body.messages === undefined) return send(responseOn(req, socket), request, reply, serving);
  const shaken = handshake(req, body.messages);
  if (shaken.kind === "refused") return send(responseOn(req, socket), request, textReply(shaken.status, shaken.text), serving);
  socket.write(shaken.head);
  // The client is answered at once, so that it sends its bytes.
  if (body.messages === "bytes") socket.write(framedBytes(new Uint8Array(0), shaken.protocol));
  const sink = sinkOf(socket, serving.endings, framingOf(body.messages, shaken.protocol));
  listen(socket, head, sink);
  void body.start(sink);
}

/** From now on the two talk to each other; when one hangs up, so does the other, once it has read what was said. */
function join(
  socket: Duplex,
  head: Buffer,
  reply: Reply & { readonly body: Body & { readonly kind: "tunnel" } },
  { endings }: Serving,
): void {
  const { body: tunnel } = reply;
  const { peer } = tunnel;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headerLines(reply)}\r\n`);
  socket.write(tunnel.head);
  peer.write(head);
  socket.pipe(peer);
  peer.pipe(socket);
  hangUpWith(socket, peer, endings);
  hangUpWith(peer, socket, endings);
}

function headerLines({ headers = {} }: Reply): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}\r\n`));
  return lines.join("");
}

function hangUpWith(one: Duplex, other: Duplex, deadlines: Deadlines): void {
  const hangUp = (): void => {
    if (other.destroyed) return;
    other.end();
    const deadline = deadlines.set(() => void other.destroy());
    other.once("close", () => deadline.cancel());
  };
  one.once("end", hangUp);
  one.once("error", () => other.destroy());
  one.once("close", () => (one.readableEnded ? hangUp() : other.destroy()));
}

/** The connection ends with its answer: no further requests are read from it. */
function responseOn(req: IncomingMessage, socket: Duplex): ServerResponse {
  // Loaded when it is needed: with this module Node also makes its fetch, a tenth of what a start takes.
  const { ServerResponse: Response } = process.getBuiltinModule("node:http");
  const res = new Response(req);
  res.shouldKeepAlive = false;
  // Only what any stream has is used of it.
  res.assignSocket(socket as Parameters<typeof res.assignSocket>[0]);
  res.once("finish", () => socket.end());
  return res;
}

type Handshake =
  | { readonly kind: "refused"; readonly status: number; readonly text: string }
  | { readonly kind: "accepted"; readonly head: string; readonly protocol: string };

const refused = (status: number, text: string): Handshake => ({ kind: "refused", status, text });

/** As strict as Kubernetes, which wants to know an origin of who watches but not which, and nothing of the others. */
function handshake({ headers }: IncomingMessage, messages: Messages): Handshake {
  const key = headers["sec-websocket-key"] ?? "";
  if (key === "") return refused(400, "bad challenge response");
  if (headers["sec-websocket-version"] !== "13") return refused(400, "missing or bad WebSocket Version");
  if (messages !== "bytes" && (headers.origin === undefined || !/^(\/|[a-z][a-z0-9+.-]*:)/i.test(headers.origin))) return refused(403, "");
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((protocol) => protocol.trim());
  const named = offered.filter((protocol) => protocol !== "" && !protocol.startsWith(bearerProtocol));
  const protocols = messages === "bytes" ? named.filter((one) => byteProtocols.some((known) => known === one)).slice(0, 1) : named;
  if (protocols.length > 1) return refused(400, "");
  if (protocols.length === 0 && named.length > 0) return refused(403, "");
  const lines = ["Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Accept: ${acceptKey(key)}`];
  for (const protocol of protocols) lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  return { kind: "accepted", head: `HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`, protocol: protocols[0] ?? "" };
}

const framingOf = (messages: Messages, protocol: string): Framing => ({
  wrap: (chunk) => (messages === "bytes" ? framedBytes(chunk, protocol) : framed(chunk, messages)),
  last: closeFrame(1000),
});

function listen(socket: Duplex, head: Buffer, sink: Sink): void {
  const frames = new ClientFrames();
  const received = (chunk: Buffer): void => {
    if (sink.closed) return;
    for (const said of frames.read(chunk)) {
      if (said.kind === "ping") socket.write(pong(said.payload));
      else {
        if (said.kind === "nonsense") socket.write(closeFrame(1002));
        sink.end();
      }
    }
  };
  socket.on("data", received);
  socket.once("end", () => socket.destroy());
  received(head);
}
