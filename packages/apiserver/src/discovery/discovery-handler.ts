/** Answers `/api`, `/apis` and what lies below them down to a group and version. */
import { notAcceptable } from "@coxswain/machinery";
import type { HttpRequest, Reply } from "../contracts/http.ts";
import type { Encoding } from "../contracts/representation.ts";
import { headerOf } from "../http/exchange.ts";
import { checkRoutable, contentTypes, encodingOf, isPlain, isPretty, parseAccept } from "../negotiation/negotiate.ts";
import { encode } from "../responsewriters/encode.ts";
import type { DiscoveryDocuments, DiscoveryForm } from "./discovery-documents.ts";
import { createDocument, type Document } from "./document.ts";
import { documentReply } from "./document-reply.ts";

/**
 * Answers a GET of `/api`, `/apis` or a group or version below, in the form that the client accepts.
 * @param segments the path's, decoded, without empty ones: a slash at the end changes nothing
 * @returns undefined when there is no such group or version
 * @throws 406 when the client accepts no form that there is
 */
export async function answerDiscovery(
  documents: DiscoveryDocuments,
  request: HttpRequest,
  segments: readonly string[],
): Promise<Reply | undefined> {
  const [root, first, second] = segments;
  const isRouted = root === "api" || (first !== undefined && second !== undefined && documents.isBuiltIn(first));
  if (isRouted && hasDiscovery(documents, segments)) checkRoutable(headerOf(request, "accept"), Object.values(contentTypes));
  if (first === undefined) return answerRoot(documents, request, root);
  const document = documentBelow(documents, segments);
  return document === undefined ? undefined : replyIn(legacyEncoding(headerOf(request, "accept")), request, document, {});
}

/** Whether discovery answers here. */
export const hasDiscovery = (documents: DiscoveryDocuments, segments: readonly string[]): boolean =>
  segments.length < 2 || documentBelow(documents, segments) !== undefined;

function documentBelow(documents: DiscoveryDocuments, [root, first = "", second, ...rest]: readonly string[]): Document | undefined {
  if (rest.length > 0) return undefined;
  if (root === "api") return second === undefined ? documents.resources("", first) : undefined;
  return second === undefined ? documents.group(first) : documents.resources(first, second);
}

async function answerRoot(documents: DiscoveryDocuments, request: HttpRequest, root: string | undefined): Promise<Reply | undefined> {
  if (root !== "api" && root !== "apis") return undefined;
  const { form, encoding } = discoveryForm(headerOf(request, "accept"));
  const document = root === "api" ? documents.api(form) : documents.apis(form);
  return replyIn(encoding, request, document, form === "legacy" ? {} : { vary: "Accept", "cache-control": "public" });
}

/** JSON is kept; what else people ask for is made of it each time. */
async function replyIn(
  encoding: Encoding,
  request: HttpRequest,
  document: Document,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const indent = isPretty(request, new URLSearchParams(request.query));
  const { body, contentType, etag } = document;
  if (encoding === "json" && !indent) return documentReply(request, document, headers);
  const object = JSON.parse(new TextDecoder().decode(body));
  const bytes = await encode(object, { encoding, indent, shape: { as: "object" } });
  return documentReply(request, createDocument(bytes, contentType.replace(contentTypes.json, contentTypes[encoding]), etag), headers);
}

interface Asked {
  readonly form: DiscoveryForm;
  /** The aggregated forms have no protobuf here. */
  readonly encoding: Encoding;
}

/** The first clause that can be served decides; a parameter `profile` changes nothing. @throws 406 when there is none */
export function discoveryForm(accept: string | undefined): Asked {
  if (accept === undefined || accept === "") return { form: "legacy", encoding: "json" };
  for (const { type, parameters } of parseAccept(accept)) {
    const encoding = encodingOf(type);
    if (encoding === undefined) continue;
    if (isPlain(parameters)) return { form: "legacy", encoding };
    const aggregated = parameters.get("as") === "APIGroupDiscoveryList" && parameters.get("g") === "apidiscovery.k8s.io";
    if (aggregated && parameters.get("v") === "v2" && encoding !== "protobuf") return { form: "aggregated", encoding };
  }
  throw notAcceptable(Object.values(contentTypes));
}

function legacyEncoding(accept: string | undefined): Encoding {
  if (accept === undefined || accept === "") return "json";
  for (const { type, parameters } of parseAccept(accept)) {
    const encoding = encodingOf(type);
    if (encoding !== undefined && isPlain(parameters)) return encoding;
  }
  throw notAcceptable(Object.values(contentTypes));
}
