/**
 * A server of one state of the past, for any client of Kubernetes. What is asked of resources goes to the server's past, with the rights that
 * the user has now; discovery, the version and reviews of access are those of the present; nothing else is answered.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from "@coxswain/client";
import { type Clock, failure, isObject, messageOf, type StatusError, unauthorized } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";
import { watchPast } from "./past-watch.ts";

export interface PastProxyOptions {
  /** To the server, as the user. */
  readonly transport: Transport;
  /** Of the state that is served. */
  readonly resourceVersion: string;
  readonly clock: Clock;
}

/** Ends with its disposal, connections and all. */
export interface PastProxy extends AsyncDisposable {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  readonly token: string;
}

const address = "127.0.0.1";
/** As the server has it. */
const maxBodyBytes = 3 * 1024 * 1024;
/** Headers that go on to the server: those of the connection do not. */
const passedOn = /^(?:accept|content-type|user-agent|impersonate-.+)$/;
const passedBack = ["content-type", "warning", "retry-after", "cache-control", "vary", "audit-id"];

export async function startPastProxy(options: PastProxyOptions): Promise<PastProxy> {
  const names = { dns: ["localhost"], ip: [address] };
  const pair = issuePair("self", { subject: nameWith("coxswain-past"), usage: "server auth", names }, options.clock.now());
  const token = randomBytes(24).toString("base64url");
  const server = createServer({ cert: pair.cert, key: pair.key }, (request, response) => {
    answer(options, token, request, response).catch((error: unknown) => fail(response, errorStatus(error)));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, address, resolve));
  return {
    url: `https://${address}:${(server.address() as AddressInfo).port}`,
    ...{ authority: pair.cert, token },
    [Symbol.asyncDispose]: () => close(server),
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(options: PastProxyOptions, token: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isToken(request.headers.authorization, token)) throw unauthorized();
  const gone = new AbortController();
  response.once("close", () => gone.abort(new Error("the client is gone")));
  const { resourceVersion } = options;
  const { pathname, searchParams: query } = new URL(request.url ?? "/", `https://${address}`);
  const isRead = request.method === "GET" || request.method === "HEAD";
  const send = (path: string, headers = headersOf(request)): Promise<TransportResponse> =>
    options.transport.send({ method: "GET", path, headers, signal: gone.signal });
  if (!isOfResources(pathname)) {
    if (!isRead) throw unchangeable();
    return passBack(await send(request.url ?? "/"), response);
  }
  const past = pastPath(pathname, query, resourceVersion);
  if (isRead && isTrue(query.get("watch")))
    return watchPast({ send, clock: options.clock, signal: gone.signal }, { past, query, headers: headersOf(request) }, response);
  if (isRead) return passBack(await send(past), response);
  const body = await bodyOf(request);
  const method = request.method as TransportRequest["method"];
  const path = reviews.test(pathname) ? (request.url ?? "/") : past;
  await passBack(await options.transport.send({ method, path, headers: headersOf(request), body, signal: gone.signal }), response);
}

const isOfResources = (path: string): boolean => /^\/api\/[^/]+\/[^/]|^\/apis\/[^/]+\/[^/]+\/[^/]/.test(path);

/** Reviews change nothing. They are about the present, as all rights here are. */
const reviews = /^\/apis\/(?:authentication|authorization)\.k8s\.io\/[^/]+\/(?:namespaces\/[^/]+\/)?\w+reviews$/;

function pastPath(path: string, query: URLSearchParams, resourceVersion: string): string {
  const asked = new URLSearchParams(query);
  asked.set("at", resourceVersion);
  return `/coxswain/v1/past${path}?${asked}`;
}

const isTrue = (text: string | null): boolean => text === "true" || text === "1";

function isToken(authorization: string | undefined, token: string): boolean {
  const [given, wanted] = [Buffer.from(authorization ?? ""), Buffer.from(`Bearer ${token}`)];
  return given.byteLength === wanted.byteLength && timingSafeEqual(given, wanted);
}

const headersOf = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined || !passedOn.test(name) ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );

/** @throws failure() for a body that no server takes */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.byteLength;
    if (length > maxBodyBytes) throw failure(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function passBack(from: TransportResponse, to: ServerResponse): Promise<void> {
  to.writeHead(
    from.status,
    Object.fromEntries(passedBack.flatMap((name) => (from.headers[name] === undefined ? [] : [[name, from.headers[name]]]))),
  );
  await pipeline(from.chunks(), to);
}

const unchangeable = (): StatusError => failure(405, "MethodNotAllowed", "the past cannot be changed");

const errorStatus = (error: unknown): object =>
  isObject(error) && isObject(error.status)
    ? error.status
    : failure(
        error instanceof ConnectionError ? 503 : 500,
        error instanceof ConnectionError ? "ServiceUnavailable" : "InternalError",
        messageOf(error),
      ).status;

/** An answer that has begun ends where it is. */
function fail(response: ServerResponse, status: object): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead("code" in status && typeof status.code === "number" ? status.code : 500, { "content-type": "application/json" });
  response.end(`${JSON.stringify(status)}\n`);
}
