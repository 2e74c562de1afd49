/** Short answers, as Kubernetes' kubelet gives them: errors are plain text. */
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { messageOf } from "@coxswain/machinery";

/** Thrown by handlers: the client gets the text. */
export class ServerError extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ServerError";
    this.status = status;
  }
}

export function answerText(response: ServerResponse, status: number, text: string, contentType = "text/plain; charset=utf-8"): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, { "content-type": contentType, "content-length": bytes.length, "x-content-type-options": "nosniff" });
  response.end(bytes);
}

export const answerJson = (response: ServerResponse, value: object): void =>
  answerText(response, 200, JSON.stringify(value), "application/json");

/** To a request for an upgrade that does not get one: the connection ends with it. */
export function refuseUpgrade(socket: Duplex, { status, message }: ServerError, headers: Readonly<Record<string, string>> = {}): void {
  const bytes = Buffer.from(message);
  const all = {
    ...headers,
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": String(bytes.length),
    Connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  // A client that has the error has nothing more to send.
  socket.once("finish", () => socket.destroy());
  socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${reasons[status] ?? "Error"}\r\n${lines.join("")}\r\n`), bytes]));
}

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  500: "Internal Server Error",
  502: "Bad Gateway",
};

/** Of whatever was thrown. */
export function errorOf(error: unknown): ServerError {
  if (error instanceof ServerError) return error;
  return new ServerError(500, messageOf(error), { cause: error });
}
