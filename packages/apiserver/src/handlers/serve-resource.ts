/** From a request on a resource to the handler of its verb and subresource. */
import { deprecationWarning, loadDynamic, needsDynamic, type ResourceDefinition } from "@coxswain/api";
import { methodNotAllowed, notFound, unknownPath } from "@coxswain/machinery";
import type { RequestContext, ServerContext } from "../context.ts";
import type { Exchange } from "../contracts/exchange.ts";
import type { Reply } from "../contracts/http.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import { headerOf, textReply } from "../http/exchange.ts";
import { isPretty, negotiate, negotiateError, type Offer } from "../negotiation/negotiate.ts";
import { isCostlyResource, maxInlineBytes } from "../offload/request-cost.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import { create } from "./create.ts";
import { deleteOne } from "./delete.ts";
import { deleteCollection } from "./delete-collection.ts";
import type { ServedSubresource } from "./effect.ts";
import { getObject } from "./get.ts";
import { list } from "./list.ts";
import { patch } from "./patch.ts";
import { update } from "./update.ts";
import { watch } from "./watch.ts";

export async function serveResource(server: ServerContext, exchange: Exchange, info: ResourceRequest): Promise<Reply> {
  const definition = server.registry.find(info.group, info.version, info.resource);
  if (definition === undefined) return unknownResource(server, info);
  if (needsDynamic(definition)) await loadDynamic();
  const resource = server.served.of(definition);
  const namespacesItself = info.group === "" && info.resource === "namespaces";
  if (!namespacesItself && !definition.namespaced && info.namespace !== "") return unknownResource(server, info);
  if (definition.namespaced && info.namespace === "" && info.verb !== "list" && info.verb !== "watch") {
    if (definition.custom !== undefined) return pathNotFound();
    throw methodNotAllowed();
  }
  const subresource = info.subresource === "" ? undefined : server.effects.subresource(definition, info.subresource);
  const ctx: RequestContext = {
    server,
    request: exchange.request,
    query: exchange.query,
    body: exchange.body,
    info: namespacesItself ? { ...info, namespace: "" } : info,
    resource,
    representation:
      subresource?.answers === "connection"
        ? negotiateError(exchange.request, exchange.query)
        : wanted(exchange, offerOf(definition, info, subresource)),
    user: exchange.user,
    requestId: exchange.requestId,
    warnings: exchange.warnings,
    maxBytes: server.offload === undefined ? Number.POSITIVE_INFINITY : maxInlineBytes(info),
  };
  if (ctx.maxBytes < Number.POSITIVE_INFINITY && isCostlyResource(resource, info, server.clock)) throw new OffloadRequired();
  const warning = deprecationWarning(definition);
  if (warning !== undefined) exchange.warnings.push(warning);
  return info.subresource === "" ? serveVerb(ctx) : serveSubresource(ctx, subresource);
}

const offerOf = (definition: ResourceDefinition, { verb }: ResourceRequest, subresource: ServedSubresource | undefined): Offer => ({
  streams: verb === "list" || verb === "watch",
  custom: isJsonOnly(definition),
  tables: subresource === undefined ? definition.verbs.has("get") || definition.verbs.has("list") : subresource.answers !== "result",
});

/** Without a form in protobuf: custom resources, and what has a schema as they do. */
const isJsonOnly = (definition: ResourceDefinition): boolean => "schema" in definition;

function wanted({ request, query }: Exchange, offer: Offer): RequestContext["representation"] {
  const representation = negotiate(headerOf(request, "accept"), offer);
  return isPretty(request, query) ? { ...representation, indent: true } : representation;
}

/** Below the path of a built-in group the API answers; custom resources have no paths but their own. */
function unknownResource(server: ServerContext, info: ResourceRequest): Reply {
  if (!server.registry.isBuiltIn(info.group)) return pathNotFound();
  throw unknownPath();
}

const pathNotFound = (): Reply => textReply(404, "404 page not found\n");

function serveVerb(ctx: RequestContext): Promise<Reply> {
  const { info, resource } = ctx;
  const effect = ctx.server.effects.resource(resource.definition);
  if (effect !== undefined) return effect(ctx);
  if (!resource.definition.verbs.has(info.verb)) throw methodNotAllowed();
  switch (info.verb) {
    case "get":
      return getObject(ctx);
    case "list":
      return list(ctx);
    case "watch":
      return watch(ctx);
    case "create":
      if (info.name !== "") throw methodNotAllowed();
      return create(ctx);
    case "update":
      if (info.name === "") throw methodNotAllowed();
      return update(ctx);
    case "patch":
      if (info.name === "") throw methodNotAllowed();
      return patch(ctx);
    case "delete":
      return deleteOne(ctx);
    case "deletecollection":
      return deleteCollection(ctx);
    case "":
      throw methodNotAllowed();
  }
}

async function serveSubresource(ctx: RequestContext, effect: ServedSubresource | undefined): Promise<Reply> {
  const { info, resource } = ctx;
  const subresource = resource.definition.subresources.get(info.subresource);
  if (subresource === undefined && resource.definition.custom !== undefined) throw notFound(resource.groupResource, info.name);
  if (subresource === undefined || (info.rest !== "" && info.subresource !== "proxy")) throw unknownPath();
  // Without a verb there are only proxies.
  if (info.verb !== "" && !subresource.verbs.includes(info.verb)) throw methodNotAllowed();
  if (effect === undefined) throw methodNotAllowed();
  return effect.handle(ctx);
}
