import type { HttpRequest, Reply } from "../contracts/http.ts";
import { acceptsGzip } from "../http/compress.ts";
import { bytesReply, headerOf } from "../http/exchange.ts";
import type { Document } from "./document.ts";

/** Smaller bodies are sent as they are: kube-apiserver's own limit. */
const worthwhileBytes = 128 * 1024;

const jsonRanges = new Set(["application/json", "application/*", "*/*"]);

/** Whether JSON is within a media range. */
export const rangeHasJson = (range: string): boolean => jsonRanges.has(range);

/** A document as an answer: 304 to a client that has it, compressed once for all that accept it. */
export async function documentReply(request: HttpRequest, document: Document, headers: Readonly<Record<string, string>>): Promise<Reply> {
  const { etag, contentType } = document;
  const all: Record<string, string> = { ...headers, ...(etag === undefined ? {} : { etag }) };
  if (etag !== undefined && knows(headerOf(request, "if-none-match"), etag)) {
    return { ...bytesReply(304, contentType, new Uint8Array(0)), headers: all };
  }
  if (document.body.byteLength < worthwhileBytes || !acceptsGzip(request))
    return { ...bytesReply(200, contentType, document.body), headers: all };
  const vary = all.vary === undefined ? "Accept-Encoding" : `${all.vary}, Accept-Encoding`;
  return { ...bytesReply(200, contentType, await document.gzipped()), headers: { ...all, vary, "content-encoding": "gzip" } };
}

/** Whether a list of validators has this one, be it weakened on its way. */
const knows = (validators: string | undefined, etag: string): boolean =>
  validators?.split(",").some((validator) => validator.trim().replace(/^W\//, "") === etag) === true;
