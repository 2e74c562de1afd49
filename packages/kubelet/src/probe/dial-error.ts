/** Connections that do not come about, in the words of Go. */
import { connectReasons } from "@coxswain/machinery";
import { joinHostPort } from "./dial.ts";

/** What Go says of a connection that does not come about. */
export function dialError(error: Error, host: string, port: number): string {
  const code = codeOf(error);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `dial tcp: lookup ${host}: no such host`;
  return `dial tcp ${joinHostPort(host, port)}: ${connectReasons[code] ?? error.message}`;
}

export const codeOf = (error: Error): string => ("code" in error && typeof error.code === "string" ? error.code : "");
