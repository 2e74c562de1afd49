import { notFound, tooLargeResourceVersion } from "@coxswain/machinery";
import type { RequestHandler } from "../contracts/request-context.ts";
import type { ContendedObjects } from "../registry/contended-objects.ts";
import { parseResourceVersion } from "../request/options.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";
import { type ReadableStore, type RevisionSource, waitForRevision } from "../storage/revision.ts";
import { keyOf } from "../storage/served-resource.ts";

export interface GetServices extends RevisionSource {
  readonly store: ReadableStore;
  readonly responses: ResponseWriter;
  /** Undefined where reads are answered as they come. */
  readonly contended: ContendedObjects | undefined;
}

/** A read is always of the newest version, and waits a little for one that the client has seen elsewhere. */
export function createGet(services: GetServices): RequestHandler {
  const { store, responses, contended } = services;
  return async (ctx) => {
    const { resource, info } = ctx;
    const key = keyOf(resource, info.namespace, info.name);
    const version = ctx.query.get("resourceVersion") ?? "";
    const asked = parseResourceVersion(version);
    if (asked > store.revision && !(await waitForRevision(services, asked))) throw tooLargeResourceVersion(asked, store.revision);
    const turn = version === "" ? contended?.turnAt(key) : undefined;
    if (turn !== undefined) await turn;
    const { entry } = await store.get(key);
    if (entry === undefined) throw notFound(resource.groupResource, info.name);
    return responses.entry(ctx, 200, entry);
  };
}
