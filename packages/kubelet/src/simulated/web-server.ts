/** What a simulated container says on its ports: HTTP, where its script has a certificate over TLS. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type Duplex, duplexPair } from "node:stream";
import { messageOf } from "@coxswain/machinery";
import type { Duplexed } from "../runtime/pod-runtime.ts";
import type { Container } from "./container.ts";
import type { SimulatedRequest, SimulatedResponse } from "./script.ts";

/** As its script says; else that it is there, or that it is not well. */
export async function answer({ script, health, status, pod }: Container, request: SimulatedRequest): Promise<SimulatedResponse> {
  if (health === "unwell") return { status: 500, body: "unwell\n" };
  return (await script.http?.(request)) ?? { status: 200, body: `${status.image} in ${pod.namespace}/${pod.name}\n` };
}

/** A connection of which each request is answered by the container as it is at that time; it ends with the container. */
export function connect(port: number, container: Container): Duplex {
  const [near, far] = duplexPair();
  const { tls } = container.script;
  let busy: Promise<unknown> = Promise.resolve();
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    busy = Promise.all([busy, respond(container, port, request, response)]);
  };
  // Loaded when it is needed: with this module Node also makes its fetch, which takes a while.
  const { createServer } = process.getBuiltinModule("node:http");
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  server.on("tlsClientError", () => far.destroy());
  server.emit("connection", far);
  const over = new AbortController();
  const ended = (): void => over.abort();
  far.once("close", ended);
  far.on("error", () => far.destroy());
  near.on("error", () => near.destroy());
  near.once("close", () => far.destroy());
  // What was asked before it ended is still answered.
  const end = async (): Promise<void> => {
    await busy;
    far.end(() => far.destroy());
  };
  container.ended(over.signal).then(end, () => undefined);
  return near;
}

/** As streams of a Pod are joined. */
export const duplexed = (connection: Duplex): Duplexed => ({
  readable: connection,
  write: (chunk) => new Promise((resolve, reject) => connection.write(chunk, (error) => (error == null ? resolve() : reject(error)))),
  end: () => void connection.end(),
  [Symbol.dispose]: () => void connection.destroy(),
});

async function respond(container: Container, port: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = await bodyOf(request);
    const { method = "GET", url = "/" } = request;
    const answered = await answer(container, { method, ...splitPath(url), port, headers: headersOf(request), body });
    const text = Buffer.from(answered.body ?? "");
    const headers = {
      "content-type": "text/plain",
      ...answered.headers,
      ...(answered.location === undefined ? {} : { location: answered.location }),
      "content-length": text.length,
    };
    response.writeHead(answered.status, headers).end(text);
  } catch (error) {
    if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
    response.end(`${messageOf(error)}\n`);
  }
}

export function splitPath(url: string): Pick<SimulatedRequest, "path" | "query"> {
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, query: "" } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const headersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]));
