/** Answers `/api`, `/apis` and what lies below them down to a group and version. */
import { type HttpRequest, headerOf, type Reply } from "../http/exchange.ts";
import { parseAccept, unroutable } from "../negotiate.ts";
import type { DiscoveryDocuments, DiscoveryForm } from "./discovery-documents.ts";
import { documentReply, rangeHasJson } from "./document-reply.ts";

/**
 * @param segments the path's, decoded, without empty ones: a slash at the end changes nothing
 * @returns undefined when there is no such group or version
 * @throws 406 when the client accepts no form that there is
 */
export function answerDiscovery(documents: DiscoveryDocuments, request: HttpRequest, segments: readonly string[]): Reply | undefined {
  const [root, first, second, ...rest] = segments;
  if (rest.length > 0 || (root === "api" && second !== undefined)) return undefined;
  if (first === undefined) return answerRoot(documents, request, root);
  const document =
    root === "api" ? documents.resources("", first) : second === undefined ? documents.group(first) : documents.resources(first, second);
  return document === undefined ? undefined : documentReply(request, document, {});
}

function answerRoot(documents: DiscoveryDocuments, request: HttpRequest, root: string | undefined): Reply | undefined {
  if (root !== "api" && root !== "apis") return undefined;
  const form = discoveryForm(headerOf(request, "accept"));
  const document = root === "api" ? documents.api(form) : documents.apis(form);
  return documentReply(request, document, form === "legacy" ? {} : { vary: "Accept", "cache-control": "public" });
}

/** The first clause that can be served decides; a parameter `profile` changes nothing. @throws 406 when there is none */
export function discoveryForm(accept: string | undefined): DiscoveryForm {
  if (accept === undefined || accept === "") return "legacy";
  for (const { type, parameters } of parseAccept(accept)) {
    if (!rangeHasJson(type)) continue;
    const as = parameters.get("as");
    if (as === undefined) return "legacy";
    if (as !== "APIGroupDiscoveryList" || parameters.get("g") !== "apidiscovery.k8s.io") continue;
    const version = parameters.get("v");
    if (version === "v2" || version === "v2beta1") return version;
  }
  throw unroutable(false);
}
