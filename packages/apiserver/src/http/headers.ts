import type { Reply } from "../contracts/http.ts";

export type HeaderBag = Record<string, string | number | string[]>;

/** The headers of an answer. As in Kubernetes, caches keep nothing unless an answer says otherwise. */
export function headersOf(reply: Reply): HeaderBag {
  const headers: HeaderBag = { "cache-control": "no-cache, private" };
  // What has no body is of no type.
  if (reply.contentType !== "") headers["content-type"] = reply.contentType;
  if (reply.headers === undefined) return headers;
  for (const name of Object.keys(reply.headers)) {
    const value = reply.headers[name];
    if (value !== undefined) headers[name] = typeof value === "string" ? value : [...value];
  }
  return headers;
}
