/** Which headers of a request go on to the backend: never those by which the client proved who it is. */

import type { HttpRequest } from "../contracts/http.ts";
import { headerOf } from "../http/exchange.ts";
import { bearerProtocol } from "../http/websocket-protocol.ts";
import type { OutgoingHeaders } from "./round-trip.ts";

/** Of the connection, not of the request. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
  "content-length",
]);

/** They may carry a token: `upgradeHeaders` has the others. */
const protocols = "sec-websocket-protocol";
const isSecret = (name: string): boolean =>
  name === "authorization" || name.startsWith("impersonate-") || name.startsWith("x-remote-") || name === protocols;

/** For backends to which the API server only passes requests on. */
export function proxiedHeaders(request: HttpRequest, upgrade: boolean): OutgoingHeaders {
  const headers: Record<string, string | readonly string[]> = {};
  const named = namedIn(headerOf(request, "connection"));
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(":") || hopByHop.has(name) || isSecret(name) || named.has(name)) continue;
    headers[name] = value;
  }
  // Trailers are for whoever can take them.
  if (/\btrailers\b/i.test(headerOf(request, "te") ?? "")) headers.te = "trailers";
  const before = headerOf(request, "x-forwarded-for");
  if (request.remoteAddress !== "")
    headers["x-forwarded-for"] = before === undefined ? request.remoteAddress : `${before}, ${request.remoteAddress}`;
  const authority = headerOf(request, ":authority");
  if (headers.host === undefined && authority !== undefined) headers.host = authority;
  return upgrade ? { ...headers, ...upgradeHeaders(request) } : headers;
}

/** Headers that are of the connection because it says so. */
const namedIn = (connection: string | string[] | undefined): ReadonlySet<string> =>
  new Set(
    [connection ?? ""]
      .flat()
      .join()
      .toLowerCase()
      .split(",")
      .map((name) => name.trim()),
  );

/** What a connection is to become, as the client says it. */
export function upgradeHeaders(request: HttpRequest): OutgoingHeaders {
  const headers: Record<string, string | readonly string[]> = { connection: "Upgrade" };
  for (const name of [
    "upgrade",
    "sec-websocket-key",
    "sec-websocket-version",
    "sec-websocket-extensions",
    "x-stream-protocol-version",
    "origin",
  ]) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  const offered = (headerOf(request, protocols) ?? "").split(",").map((protocol) => protocol.trim());
  const kept = offered.filter((protocol) => protocol !== "" && !protocol.startsWith(bearerProtocol));
  if (kept.length > 0) headers[protocols] = kept.join(", ");
  return headers;
}

/** Of an answer, what goes on to the client. */
export function answeredHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | readonly string[]> {
  const named = namedIn(headers.connection);
  const kept: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || (hopByHop.has(name) && name !== "content-length") || named.has(name)) continue;
    kept[name] = value;
  }
  return kept;
}
