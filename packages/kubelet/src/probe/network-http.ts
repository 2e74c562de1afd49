/** One HTTP exchange, with the words of Go's client for what goes wrong. Certificates are not looked at. */
import type { ClientRequest, IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { Clock } from "@coxswain/machinery";
import { bodyLimit, type HttpAnswer, type HttpCall, joinHostPort } from "./dial.ts";
import { codeOf, dialError } from "./dial-error.ts";

const isHttpAnswer = "http: server gave HTTP response to HTTPS client";

export async function exchangeHttp(call: HttpCall, clock: Clock, signal: AbortSignal): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  let stage: "dial" | "headers" | "body" = "dial";
  const request = open(call);
  const timer = clock.schedule(call.timeoutMs, () => reject(new Error(late(stage, call))));
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  request.on("socket", (socket) => {
    socket.once("connect", () => {
      stage = "headers";
    });
  });
  request.on("error", (error) => reject(new Error(problem(error, stage, call))));
  request.on("response", (response) => {
    stage = "body";
    readAtMost(response).then((body) => resolve(answerOf(response, body)), reject);
  });
  request.end();
  try {
    return await promise;
  } finally {
    timer[Symbol.dispose]();
    signal.removeEventListener("abort", onAbort);
    request.destroy();
  }
}

function open({ scheme, host, port, path, headers }: HttpCall): ClientRequest {
  const own = headers.find(([name]) => name === "Host")?.[1] ?? "";
  const hostHeader = own !== "" ? own : joinHostPort(host, port);
  const flat = [["Host", hostHeader] as const, ...headers.filter(([name]) => name !== "Host"), ["Connection", "close"] as const].flat();
  const options = { host, port, path, method: "GET", agent: false, headers: flat, setHost: false, insecureHTTPParser: false } as const;
  // Loaded when it is needed: with this module Node also makes its fetch, which takes a while.
  const { request: requestHttp } = process.getBuiltinModule("node:http");
  return scheme === "https" ? requestHttps({ ...options, rejectUnauthorized: false }) : requestHttp(options);
}

/** What comes after is left unread. */
async function readAtMost(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bodyLimit) break;
  }
  return Buffer.concat(chunks).subarray(0, bodyLimit).toString();
}

function answerOf({ statusCode = 0, headers: { location } }: IncomingMessage, body: string): HttpAnswer {
  return { status: statusCode, body, ...(location === undefined ? {} : { location }) };
}

function late(stage: "dial" | "headers" | "body", { host, port }: HttpCall): string {
  switch (stage) {
    case "dial":
      return `dial tcp ${joinHostPort(host, port)}: i/o timeout (Client.Timeout exceeded while awaiting headers)`;
    case "headers":
      return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    case "body":
      return "context deadline exceeded (Client.Timeout or context cancellation while reading body)";
  }
}

function problem(error: Error, stage: "dial" | "headers" | "body", { scheme, host, port }: HttpCall): string {
  if (stage === "dial") return dialError(error, host, port);
  const code = codeOf(error);
  if (scheme === "https" && (code === "EPROTO" || code.startsWith("ERR_SSL"))) return isHttpAnswer;
  if (code === "ECONNRESET")
    return error.message === "socket hang up" ? "EOF" : `read tcp ${joinHostPort(host, port)}: read: connection reset by peer`;
  if (code.startsWith("HPE_")) return `net/http: HTTP/1.x transport connection broken: malformed HTTP response: ${error.message}`;
  return error.message;
}

/** The text of Go's client when a server answers a TLS handshake without TLS. */
export const spokePlainHttp = (error: unknown): boolean => error instanceof Error && error.message.includes(isHttpAnswer);
