import { type KubeObject, methodNotAllowed, notFound } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import { bytesReply, type Reply } from "../http/exchange.ts";
import { contentTypes } from "../negotiate.ts";
import { encode, replyObject } from "../respond.ts";
import { tableFor } from "../table/table.ts";

/** The store is the one component that the server knows of. */
export async function componentStatuses(ctx: RequestContext): Promise<Reply> {
  const { info, resource, representation, server } = ctx;
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
  const list =
    representation.shape.as === "table"
      ? tableFor(resource.definition, [{ object: store }], { now: server.clock.now(), version: representation.shape.version })
      : {
          kind: "ComponentStatusList",
          apiVersion: "v1",
          metadata: {},
          items: [{ metadata: store.metadata, conditions: store.conditions }],
        };
  return bytesReply(200, contentTypes[representation.encoding], await encode(list, representation));
}
