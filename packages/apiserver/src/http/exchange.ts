/** Requests read, and answers made, whatever the protocol. */
import type { HttpRequest, Reply } from "../contracts/http.ts";

/** Ends an answer that is not sent, with whatever stands behind it. */
export function discard({ body }: Reply): void {
  if (body.kind === "stream" || body.kind === "tunnel") body.discard?.();
  else if (body.kind === "chunks") body.chunks[Symbol.iterator]().return?.();
}

/** Bodies over this are refused with 413, as by the original. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** An answer of which all bytes are there. */
export const bytesReply = (status: number, contentType: string, bytes: Uint8Array): Reply => ({
  status,
  contentType,
  body: { kind: "bytes", bytes },
});

const encoder = new TextEncoder();

const plainText = "text/plain; charset=utf-8";
/** No browser is to take for a page what is plain text. */
const unsniffed = { "x-content-type-options": "nosniff" };

/** An answer in plain text, in UTF-8. */
export function textReply(status: number, text: string, contentType = plainText): Reply {
  const reply = bytesReply(status, contentType, encoder.encode(text));
  return contentType === plainText ? { ...reply, headers: unsniffed } : reply;
}

/** Several values of one header are joined with ", ". */
export function headerOf(request: Pick<HttpRequest, "headers">, name: string): string | undefined {
  const value = request.headers[name];
  return value === undefined || typeof value === "string" ? value : value.join(", ");
}
