/** A part of an object through a subresource of its own: read whole, written in part. */

import type { SubresourceStrategy } from "@coxswain/api";
import { methodNotAllowed } from "@coxswain/machinery";
import type { Reply } from "../contracts/http.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import type { Verbs } from "./verbs.ts";

/** @throws methodNotAllowed() for verbs that parts do not have */
export type ServePart = (ctx: RequestContext, part: "status" | "limited", strategy?: SubresourceStrategy) => Promise<Reply>;

export const createServePart =
  ({ get, update, patch }: Pick<Verbs, "get" | "update" | "patch">): ServePart =>
  (ctx, part, strategy) => {
    switch (ctx.info.verb) {
      case "get":
        return get(ctx);
      case "update":
        return update(ctx, part, strategy);
      case "patch":
        return patch(ctx, part, strategy);
      default:
        throw methodNotAllowed();
    }
  };
