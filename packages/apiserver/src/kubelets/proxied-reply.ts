/** What a server behind the proxy answers, with links that lead through the proxy. */
import type { IncomingMessage } from "node:http";
import { pipeline, Transform } from "node:stream";
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw } from "node:zlib";
import type { Reply } from "../contracts/http.ts";
import { answeredHeaders } from "./forwarded-headers.ts";
import { streamReply } from "./forwarded-reply.ts";
import { type ProxiedPage, proxiedLink, proxiedLocation } from "./proxied-links.ts";
import { HtmlRewriter } from "./rewrite-html.ts";

/** A redirect is rewritten, or else a page. @throws StatusError for a redirect to what is no URL */
export function proxiedReply(response: IncomingMessage, method: string, page: ProxiedPage): Reply {
  const headers = proxiedHeadersOf(response);
  const { location } = headers;
  if (typeof location === "string" && location !== "")
    return streamReply({ response, headers: { ...headers, location: proxiedLocation(location, page) } });
  const [contentType = ""] = (response.headers["content-type"] ?? "").split(";", 1);
  const coding = codings[response.headers["content-encoding"] ?? ""];
  if (contentType.trim() !== "text/html" || coding === undefined || method === "HEAD") return streamReply({ response, headers });
  const { "content-length": _, ...others } = headers;
  const links = rewriting((link) => proxiedLink(link, page));
  const body = pipeline([response, ...coding(links)], () => undefined);
  return streamReply({ response, headers: others, body: body as unknown as AsyncIterable<Uint8Array> });
}

/** Whose pages may be read by whose scripts is not for those to say who answer under the API server's name. */
function proxiedHeadersOf(response: IncomingMessage): Record<string, string | readonly string[]> {
  const headers = answeredHeaders(response.headers);
  for (const what of ["credentials", "headers", "methods", "origin"]) delete headers[`access-control-allow-${what}`];
  const { "cache-control": own } = headers;
  return own === undefined ? headers : { ...headers, "cache-control": ["no-cache, private", ...[own].flat()] };
}

/** Pages in another coding stay as they are. */
const codings: Readonly<Record<string, (links: Transform) => Transform[]>> = {
  __proto__: null as never,
  "": (links) => [links],
  gzip: (links) => [createGunzip(), links, createGzip()],
  deflate: (links) => [createInflateRaw(), links, createDeflateRaw()],
};

function rewriting(rewrite: (link: string) => string | undefined): Transform {
  const html = new HtmlRewriter(rewrite);
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, html.push(chunk)),
    flush: (done) => done(null, html.end()),
  });
}
