/** Deletes large objects in the thread that is there for what costs much. */
import { type Status, StatusError, stringifyJson } from "@coxswain/machinery";
import type { Offload } from "../contracts/offload.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ResourceRequest } from "../contracts/request-info.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import type { DeleteEntry } from "../registry/delete-entry.ts";
import { namespacedName } from "../registry/namespaced-name.ts";
import type { DeleteOptions } from "../request/options.ts";
import { maxInlineBytes } from "./request-cost.ts";

export interface OffloadedDeleteOptions {
  /** For what is small. */
  readonly deleteEntry: DeleteEntry;
  readonly offload: Offload;
  readonly served: Pick<ServedResources, "serves">;
}

export const createOffloadedDelete =
  ({ deleteEntry, offload, served }: OffloadedDeleteOptions): DeleteEntry =>
  async (ctx, entry, options) => {
    const { namespace, name } = namespacedName(ctx.resource, entry);
    const info: ResourceRequest = { ...ctx.info, verb: "delete", namespace, name, subresource: "" };
    // Only what is served can be asked for, and only by a request that admission has to see.
    if (options.admitted !== true && entry.value.byteLength > maxInlineBytes(info) && served.serves(ctx.resource.definition))
      await deleteElsewhere(offload, ctx, info, options);
    else await deleteEntry(ctx, entry, options);
  };

async function deleteElsewhere(
  offload: Offload,
  { request, user, requestId, warnings }: RequestContext,
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
  const reply = await offload.serve(
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
  if (reply.status >= 400 && reply.body.kind === "bytes")
    throw new StatusError(JSON.parse(Buffer.from(reply.body.bytes).toString()) as Status);
}
