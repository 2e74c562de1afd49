import { notFound, tooLargeResourceVersion } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { Reply } from "../contracts/http.ts";
import { parseResourceVersion } from "../request/options.ts";
import { replyEntry } from "../responsewriters/write-object.ts";
import { waitForRevision } from "../storage/revision.ts";
import { keyOf } from "../storage/served-resource.ts";

/** A read is always of the newest version, and waits a little for one that the client has seen elsewhere. */
export async function getObject(ctx: RequestContext): Promise<Reply> {
  const { server, resource, info } = ctx;
  const asked = parseResourceVersion(ctx.query.get("resourceVersion") ?? "");
  if (asked > server.store.revision && !(await waitForRevision(server, asked))) {
    throw tooLargeResourceVersion(asked, server.store.revision);
  }
  const { entry } = await server.store.get(keyOf(resource, info.namespace, info.name));
  if (entry === undefined) throw notFound(resource.groupResource, info.name);
  return replyEntry(ctx, 200, entry);
}
