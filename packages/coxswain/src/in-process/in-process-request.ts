/** A request of this process as the server's handler takes it. */
import { type ApiServer, type HttpRequest, maxBodyBytes, type Reply } from "@coxswain/apiserver";
import type { TransportRequest } from "@coxswain/client";
import { tooLarge } from "@coxswain/machinery";
import type { InProcessCallers, InProcessUser } from "./in-process-callers.ts";

/** Who asks, and where that is vouched for. */
export interface InProcessCaller {
  readonly user: InProcessUser;
  /** Those whose authenticator the server has. */
  readonly callers: InProcessCallers;
}

const nothing = new Uint8Array(0);

/** Has the server answer it, with the path's query parted from it. */
export async function handleInProcess(
  server: Pick<ApiServer, "handle">,
  { method, path: target, headers, body = nothing }: Omit<TransportRequest, "signal">,
  { user, callers }: InProcessCaller,
): Promise<Reply> {
  if (body.byteLength > maxBodyBytes) return refusal();
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? "" : target.slice(mark + 1);
  const request: HttpRequest = { method, path, query, headers, remoteAddress: "127.0.0.1", http1: false };
  callers.vouch(request, user);
  return await server.handle(request, body);
}

/** The headers of the answer, as a transport has them. */
export function headersOf({ contentType, headers = {} }: Reply): Record<string, string> {
  const all: Record<string, string> = { "content-type": contentType, "cache-control": "no-cache, private" };
  for (const [name, value] of Object.entries(headers)) all[name] = typeof value === "string" ? value : value.join(", ");
  return all;
}

/** What the port answers before a handler sees the request. */
function refusal(): Reply {
  const { code, status } = tooLarge(maxBodyBytes);
  return { status: code, contentType: "application/json", body: { kind: "bytes", bytes: Buffer.from(`${JSON.stringify(status)}\n`) } };
}
