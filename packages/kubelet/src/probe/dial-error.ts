/** Connections that do not come about, in the words of Go. */
import { joinHostPort } from "./dial.ts";

/** By Node's code. */
export const connectReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ECONNRESET: "connect: connection reset by peer",
  EADDRNOTAVAIL: "connect: cannot assign requested address",
  EACCES: "connect: permission denied",
  ETIMEDOUT: "connect: connection timed out",
  ENOENT: "connect: no such file or directory",
};

/** What Go says of a connection that does not come about. */
export function dialError(error: Error, host: string, port: number): string {
  const code = codeOf(error);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `dial tcp: lookup ${host}: no such host`;
  return `dial tcp ${joinHostPort(host, port)}: ${connectReasons[code] ?? error.message}`;
}

export const codeOf = (error: Error): string => ("code" in error && typeof error.code === "string" ? error.code : "");
