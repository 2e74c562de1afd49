/** A part of an object through a subresource of its own: read whole, written in part. */

import type { SubresourceStrategy } from "@coxswain/api";
import { methodNotAllowed } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { Reply } from "../contracts/http.ts";
import { getObject } from "./get.ts";
import { patch } from "./patch.ts";
import { update } from "./update.ts";

export function servePart(ctx: RequestContext, part: "status" | "limited", strategy?: SubresourceStrategy): Promise<Reply> {
  switch (ctx.info.verb) {
    case "get":
      return getObject(ctx);
    case "update":
      return update(ctx, part, strategy);
    case "patch":
      return patch(ctx, part, strategy);
    default:
      throw methodNotAllowed();
  }
}
