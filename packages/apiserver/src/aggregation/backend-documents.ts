/** Documents that the server asks other servers for on its own behalf: discovery and OpenAPI. */
import type { Clock } from "@coxswain/machinery";
import type { UserInfo } from "../contracts/authenticator.ts";
import type { Backend } from "./backend.ts";
import type { BackendConnections } from "./backend-connections.ts";
import { deadlineSignal } from "./deadline-signal.ts";
import { identityHeaders } from "./identity-headers.ts";

export interface BackendDocument {
  readonly status: number;
  readonly contentType: string;
  /** Empty without one. */
  readonly etag: string;
  readonly body: Buffer;
}

export interface DocumentRequest {
  readonly path: string;
  readonly accept: string;
  readonly user: UserInfo;
  readonly etag?: string;
  /** More are not read. */
  readonly maxBytes: number;
}

export interface DocumentSource {
  readonly connections: Pick<BackendConnections, "endpointOf" | "send">;
  readonly clock: Clock;
}

const timeoutMs = 5_000;

/** Rejects for one that does not come in time, or is too long. */
export async function fetchDocument(
  { connections, clock }: DocumentSource,
  backend: Backend,
  { path, accept, user, etag = "", maxBytes }: DocumentRequest,
): Promise<BackendDocument> {
  const endpoint = await connections.endpointOf(backend);
  using deadline = deadlineSignal(clock, timeoutMs);
  const headers = { ...identityHeaders(user), accept, ...(etag === "" ? {} : { "if-none-match": etag }) };
  const { response } = await connections.send(backend, { endpoint, method: "GET", path, headers, signal: deadline.signal });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`the answer to ${path} has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers["content-type"] ?? "",
    etag: response.headers.etag ?? "",
    body: Buffer.concat(chunks),
  };
}
