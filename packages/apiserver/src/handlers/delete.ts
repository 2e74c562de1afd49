import type { Status } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { Reply } from "../contracts/http.ts";
import { decodeDeleteOptions } from "../negotiation/delete-options.ts";
import { deleteObject } from "../registry/delete.ts";
import type { Outcome } from "../registry/outcome.ts";
import { objectOf, replyOutcome, replyStatus } from "../responsewriters/write-object.ts";

export async function deleteOne(ctx: RequestContext): Promise<Reply> {
  const options = await decodeDeleteOptions(ctx);
  const deletion = await deleteObject(ctx, ctx.info.namespace, ctx.info.name, options);
  if (deletion.kind === "lingering") return replyOutcome(ctx, options.cascades ? 202 : 200, deletion.outcome);
  return replyGone(ctx, deletion.outcome);
}

/** A Status, or the last state, as the kind does in Kubernetes. */
async function replyGone(ctx: RequestContext, outcome: Outcome): Promise<Reply> {
  const { definition } = ctx.resource;
  if (definition.strategy.returnDeletedObject) return replyOutcome(ctx, 200, outcome);
  const uid = (await objectOf(ctx, outcome)).metadata?.uid;
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name: ctx.info.name,
      ...(definition.group === "" ? {} : { group: definition.group }),
      kind: definition.resource,
      ...(uid === undefined ? {} : { uid }),
    },
  };
  return replyStatus(status, ctx.representation);
}
