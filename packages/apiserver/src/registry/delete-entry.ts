/** Deleting one of several objects, each on its own: a heavy one in the thread that is there for those. */
import { type Status, StatusError, stringifyJson } from "@coxswain/machinery";
import type { Entry } from "@coxswain/store";
import type { RequestContext } from "../context.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { maxInlineBytes } from "../offload/request-cost.ts";
import type { DeleteOptions } from "../request/options.ts";
import { deleteObject } from "./delete.ts";

/** @throws notFound() when it is gone meanwhile, and what else a deletion throws */
export async function deleteEntry(ctx: RequestContext, entry: Entry, options: DeleteOptions): Promise<void> {
  const { namespace, name } = placeOf(ctx.resource, entry);
  const info: ResourceRequest = { ...ctx.info, verb: "delete", namespace, name, subresource: "" };
  if (ctx.server.offload !== undefined && entry.value.byteLength > maxInlineBytes(info) && isServed(ctx))
    await deleteElsewhere(ctx, info, options);
  else await deleteObject(ctx, namespace, name, options);
}

/** Only what is served can be asked for. */
const isServed = ({ server, resource: { definition } }: RequestContext): boolean =>
  server.registry.find(definition.group, definition.version, definition.resource) === definition;

async function deleteElsewhere(
  { server, request, user, requestId, warnings }: RequestContext,
  info: ResourceRequest,
  options: DeleteOptions,
): Promise<void> {
  const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions } = options;
  const sent = {
    kind: "DeleteOptions",
    apiVersion: "v1",
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
    dryRun: dryRun ? ["All"] : [],
  };
  const headers = { "user-agent": request.headers["user-agent"], "content-type": "application/json" };
  const reply = await server.offload?.serve(
    {
      request: { method: "DELETE", path: request.path, query: "", headers, remoteAddress: request.remoteAddress, http1: false },
      query: new URLSearchParams(),
      body: Buffer.from(stringifyJson(sent)),
      info,
      user,
      requestId,
      warnings,
    },
    info,
  );
  if (reply !== undefined && reply.status >= 400 && reply.body.kind === "bytes")
    throw new StatusError(JSON.parse(Buffer.from(reply.body.bytes).toString()) as Status);
}

/** Where an object stands follows from its key. */
function placeOf({ prefix, definition }: ServedResource, { key }: Entry): { readonly namespace: string; readonly name: string } {
  const rest = key.slice(prefix.length);
  const slash = rest.indexOf("/");
  return definition.namespaced ? { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) } : { namespace: "", name: rest };
}
