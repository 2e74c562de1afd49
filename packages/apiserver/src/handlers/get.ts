import { notFound, tooLargeResourceVersion } from "@coxswain/machinery";
import type { RequestHandler } from "../contracts/request-context.ts";
import { parseResourceVersion } from "../request/options.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";
import { type RevisionSource, waitForRevision } from "../storage/revision.ts";
import { keyOf } from "../storage/served-resource.ts";

export interface GetServices extends RevisionSource {
  readonly responses: ResponseWriter;
}

/** A read is always of the newest version, and waits a little for one that the client has seen elsewhere. */
export function createGet(services: GetServices): RequestHandler {
  const { store, responses } = services;
  return async (ctx) => {
    const { resource, info } = ctx;
    const asked = parseResourceVersion(ctx.query.get("resourceVersion") ?? "");
    if (asked > store.revision && !(await waitForRevision(services, asked))) throw tooLargeResourceVersion(asked, store.revision);
    const { entry } = await store.get(keyOf(resource, info.namespace, info.name));
    if (entry === undefined) throw notFound(resource.groupResource, info.name);
    return responses.entry(ctx, 200, entry);
  };
}
