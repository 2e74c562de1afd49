/** From a request on a resource to the handler of its verb and subresource. */
import { deprecationWarning, loadDynamic, needsDynamic, type ResourceDefinition, type ResourceRegistry } from "@coxswain/api";
import { methodNotAllowed, notFound, unknownPath } from "@coxswain/machinery";
import type { Exchange } from "../contracts/exchange.ts";
import type { Reply } from "../contracts/http.ts";
import type { InlineLimits } from "../contracts/offload.ts";
import type { Representation } from "../contracts/representation.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import { headerOf, textReply } from "../http/exchange.ts";
import { isPretty, negotiate, negotiateError, type Offer } from "../negotiation/negotiate.ts";
import type { Effects, ServedSubresource } from "./effect.ts";
import type { Verbs } from "./verbs.ts";

export interface ResourceHandlerOptions {
  readonly registry: Pick<ResourceRegistry, "find" | "isBuiltIn">;
  readonly served: Pick<ServedResources, "of">;
  readonly verbs: Verbs;
  readonly effects: Effects;
  /** What one request may cost here. Undefined where no other thread serves what costs more. */
  readonly limits: InlineLimits | undefined;
}

export type ResourceHandler = (exchange: Exchange, info: ResourceRequest) => Promise<Reply>;

export const createResourceHandler =
  (options: ResourceHandlerOptions): ResourceHandler =>
  (exchange, info) =>
    findAndServe(options, exchange, info);

/** It may throw as well as reject. */
function findAndServe(options: ResourceHandlerOptions, exchange: Exchange, info: ResourceRequest): Promise<Reply> {
  const { registry } = options;
  const definition = registry.find(info.group, info.version, info.resource);
  if (definition === undefined) return Promise.resolve(unknownResource(registry, info));
  const serve = (): Promise<Reply> => serveResource(options, definition, exchange, info);
  return needsDynamic(definition) ? loadDynamic().then(serve) : serve();
}

function serveResource(
  options: ResourceHandlerOptions,
  definition: ResourceDefinition,
  exchange: Exchange,
  info: ResourceRequest,
): Promise<Reply> {
  const { registry, served, effects, limits } = options;
  const resource = served.of(definition);
  const namespacesItself = info.group === "" && info.resource === "namespaces";
  if (!namespacesItself && !definition.namespaced && info.namespace !== "") return Promise.resolve(unknownResource(registry, info));
  if (definition.namespaced && info.namespace === "" && info.verb !== "list" && info.verb !== "watch") {
    if (definition.custom !== undefined) return Promise.resolve(pathNotFound());
    throw methodNotAllowed();
  }
  const subresource = info.subresource === "" ? undefined : effects.subresource(definition, info.subresource);
  const ctx: RequestContext = {
    request: exchange.request,
    query: exchange.query,
    body: exchange.body,
    info: namespacesItself ? { ...info, namespace: "" } : info,
    resource,
    representation:
      info.subresource !== "" && (subresource === undefined || subresource.answers === "connection")
        ? negotiateError(exchange.request, exchange.query)
        : wanted(exchange, offerOf(definition, info, subresource)),
    user: exchange.user,
    requestId: exchange.requestId,
    warnings: exchange.warnings,
    audit: exchange.audit,
    maxBytes: limits === undefined ? Number.POSITIVE_INFINITY : limits.maxBytes(info),
  };
  if (ctx.maxBytes < Number.POSITIVE_INFINITY) limits?.checkResource(resource, info);
  const warning = deprecationWarning(definition);
  if (warning !== undefined) {
    exchange.warnings.push(warning);
    exchange.audit?.annotations.set("k8s.io/deprecated", "true");
  }
  return info.subresource === "" ? serveVerb(options, ctx) : serveSubresource(ctx, subresource);
}

const offerOf = (definition: ResourceDefinition, { verb }: ResourceRequest, subresource: ServedSubresource | undefined): Offer => ({
  streams: verb === "list" || verb === "watch",
  custom: isJsonOnly(definition),
  tables: subresource === undefined ? definition.verbs.has("get") || definition.verbs.has("list") : subresource.answers !== "result",
});

/** Without a form in protobuf: custom resources, and what has a schema as they do. */
const isJsonOnly = (definition: ResourceDefinition): boolean => "schema" in definition;

function wanted({ request, query }: Exchange, offer: Offer): Representation {
  const representation = negotiate(headerOf(request, "accept"), offer);
  return isPretty(request, query) ? { ...representation, indent: true } : representation;
}

/** Below the path of a built-in group the API answers; custom resources have no paths but their own. @throws unknownPath() */
function unknownResource(registry: Pick<ResourceRegistry, "isBuiltIn">, info: ResourceRequest): Reply {
  if (!registry.isBuiltIn(info.group)) return pathNotFound();
  throw unknownPath();
}

const pathNotFound = (): Reply => textReply(404, "404 page not found\n");

function serveVerb({ effects, verbs }: ResourceHandlerOptions, ctx: RequestContext): Promise<Reply> {
  const { info, resource } = ctx;
  const effect = effects.resource(resource.definition);
  if (effect !== undefined) return effect(ctx);
  // Without a verb there are only proxies.
  if (info.verb === "" || !resource.definition.verbs.has(info.verb)) throw methodNotAllowed();
  if (info.verb === "create" ? info.name !== "" : info.name === "" && (info.verb === "update" || info.verb === "patch"))
    throw methodNotAllowed();
  return verbs[info.verb](ctx);
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
