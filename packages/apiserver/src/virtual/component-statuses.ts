import { type KubeObject, methodNotAllowed, notFound } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { Reply } from "../http/exchange.ts";
import { replyObject } from "../respond.ts";
import { replyObjects } from "./reply-objects.ts";

/** The store is the one component that the server knows of. */
export async function componentStatuses(ctx: RequestContext): Promise<Reply> {
  const { info, resource } = ctx;
  const store: KubeObject = {
    kind: "ComponentStatus",
    apiVersion: "v1",
    metadata: { name: "etcd-0" },
    conditions: [{ type: "Healthy", status: "True", message: "ok" }],
  };
  if (info.verb === "get") {
    if (info.name !== store.metadata?.name) throw notFound(resource.groupResource, info.name);
    return replyObject(ctx, 200, store, resource);
  }
  if (info.verb !== "list") throw methodNotAllowed();
  return replyObjects(ctx, [store]);
}
