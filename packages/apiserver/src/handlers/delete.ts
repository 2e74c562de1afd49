import type { Status } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import { decodeDeleteOptions } from "../delete-options.ts";
import type { Reply } from "../http/exchange.ts";
import { type Deletion, deleteObject } from "../registry/delete.ts";
import { objectOf, replyOutcome, replyStatus } from "../respond.ts";

export async function deleteOne(ctx: RequestContext): Promise<Reply> {
  const options = await decodeDeleteOptions(ctx);
  return replyDeletion(ctx, await deleteObject(ctx, ctx.info.namespace, ctx.info.name, options));
}

/** What is left answers with itself; what is gone with a Status or its last state, as the kind does in Kubernetes. */
export async function replyDeletion(ctx: RequestContext, deletion: Deletion): Promise<Reply> {
  if (deletion.kind === "lingering") return replyOutcome(ctx, 200, deletion.outcome);
  const { definition } = ctx.resource;
  if (definition.behaviour.deleteReturns === "object") return replyOutcome(ctx, 200, deletion.outcome);
  const uid = objectOf(ctx, deletion.outcome).metadata?.uid;
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
