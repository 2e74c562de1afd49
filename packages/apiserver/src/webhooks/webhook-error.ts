import { tlsReason } from "@coxswain/machinery";

/** A webhook that could not be asked, or whose answer is none. What it was asked for then fails or goes on as its owner says. */
export class WebhookError extends Error {
  /** Of its HTTP answer; undefined where there was none. */
  readonly httpCode: number | undefined;
  /** Whether its configuration is such that it cannot be called at all. */
  readonly uncallable: boolean;
  /** Whether the same may go well a moment later. */
  readonly isTransient: boolean;
  /** Whether the webhook's answer is a Status, and the message its own. */
  readonly isStatus: boolean;
  constructor(message: string, { httpCode, uncallable = false, isTransient = false, isStatus = false }: WebhookErrorOptions = {}) {
    super(message);
    this.name = "WebhookError";
    this.httpCode = httpCode;
    this.uncallable = uncallable;
    this.isTransient = isTransient;
    this.isStatus = isStatus;
  }
}

export type WebhookErrorOptions = Partial<Pick<WebhookError, "httpCode" | "uncallable" | "isTransient" | "isStatus">>;

/** Whether the connection was lost on the way; one that was closed in order is not. */
export const isConnectionReset = (error: unknown): boolean => {
  const { code, message } = firstOf(error);
  return code === "ECONNRESET" && message !== "socket hang up";
};

/** What failed below HTTP, in the words that Go's client has for it: people search for them. */
export function transportProblem(error: unknown): string {
  const cause = firstOf(error);
  const { code = "", message, address, port, hostname } = cause;
  const at = address === undefined ? "" : ` ${address.includes(":") ? `[${address}]` : address}:${port}`;
  if (cause.name === "AbortError") return "context deadline exceeded";
  if (code in connecting) return `dial tcp${at}: connect: ${connecting[code]}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "ECONNRESET" || code === "EPIPE") return message === "socket hang up" ? "EOF" : "connection reset by peer";
  if (code === "EPROTO" && message.includes("wrong version number")) return "http: server gave HTTP response to HTTPS client";
  return tlsReason(cause) ?? message;
}

/** What Node reports of the different ways to fail. */
interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

/** A host with several addresses fails with an error for each. */
function firstOf(error: unknown): Failure {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  return error instanceof Error ? error : new Error(String(error));
}

const connecting: Readonly<Record<string, string>> = {
  __proto__: null as never,
  ECONNREFUSED: "connection refused",
  ETIMEDOUT: "connection timed out",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  EADDRNOTAVAIL: "cannot assign requested address",
};
