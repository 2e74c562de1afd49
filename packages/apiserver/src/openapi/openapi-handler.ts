/** Answers `/openapi/v2`, `/openapi/v3` and the documents below it. */

import type { HttpRequest, Reply } from "../contracts/http.ts";
import { documentReply, rangeHasJson } from "../discovery/document-reply.ts";
import { bytesReply, headerOf } from "../http/exchange.ts";
import { parseAccept } from "../negotiation/negotiate.ts";
import { type OpenApiDocuments, protobufV2, protobufV3 } from "./openapi-documents.ts";

const yearMs = 365 * 24 * 60 * 60 * 1000;

/**
 * Answers a GET of `/openapi/v2`, `/openapi/v3` or a document below it.
 * @param segments the path's, decoded, without empty ones
 * @param now milliseconds since the epoch
 * @returns undefined when there is no such document
 */
export async function answerOpenApi(
  documents: OpenApiDocuments,
  request: HttpRequest,
  segments: readonly string[],
  now: number,
): Promise<Reply | undefined> {
  const [root, version, ...below] = segments;
  if (root !== "openapi") return undefined;
  if (version === "v2" && below.length === 0) return answerV2(documents, request);
  if (version !== "v3") return undefined;
  if (below.length === 0) return request.path.endsWith("/") ? undefined : documentReply(request, await documents.index(), {});
  return answerV3(documents, request, below.join("/"), now);
}

type Encoding = "json" | "protobuf";

async function answerV2(documents: OpenApiDocuments, request: HttpRequest): Promise<Reply> {
  const encoding = encodingOf(request, "v2");
  if (encoding === undefined) return notAcceptable();
  const document = encoding === "json" ? await documents.v2() : await documents.v2Protobuf();
  return documentReply(request, document, { vary: "Accept" });
}

/** With the current hash a client may keep the document for good; with an old one it is sent to the current. */
async function answerV3(documents: OpenApiDocuments, request: HttpRequest, path: string, now: number): Promise<Reply | undefined> {
  const hash = await documents.hash(path);
  if (hash === undefined) return undefined;
  const encoding = encodingOf(request, "v3");
  if (encoding === undefined) return notAcceptable();
  const asked = new URLSearchParams(request.query).get("hash");
  if (asked !== null && asked !== "" && asked !== hash) {
    const location = `/openapi/v3/${path}?hash=${hash}`;
    return { ...bytesReply(301, "application/json", new Uint8Array(0)), headers: { location, vary: "Accept", etag: `"${hash}"` } };
  }
  const document = encoding === "json" ? await documents.v3(path) : await documents.v3Protobuf(path);
  if (document === undefined) return undefined;
  const forever = { "cache-control": "public, immutable", expires: new Date(now + yearMs).toUTCString() };
  return documentReply(request, document, { vary: "Accept", ...(asked === hash ? forever : {}) });
}

/** By which names clients of all ages ask for protobuf. */
const protobufRanges = {
  v2: new Set([protobufV2, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"]),
  v3: new Set([protobufV3, "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"]),
};

/** Undefined when the client accepts neither. */
function encodingOf(request: HttpRequest, version: "v2" | "v3"): Encoding | undefined {
  const accept = headerOf(request, "accept");
  if (accept === undefined || accept === "") return "json";
  for (const { type } of parseAccept(accept)) {
    if (rangeHasJson(type)) return "json";
    if (protobufRanges[version].has(type)) return "protobuf";
  }
  return undefined;
}

const notAcceptable = (): Reply => bytesReply(406, "", new Uint8Array(0));
