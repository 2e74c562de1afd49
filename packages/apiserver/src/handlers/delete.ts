import type { Status } from "@coxswain/machinery";
import type { Reply } from "../contracts/http.ts";
import type { RequestContext, RequestHandler } from "../contracts/request-context.ts";
import { decodeDeleteOptions } from "../negotiation/delete-options.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import type { Outcome } from "../registry/outcome.ts";
import { replyStatus } from "../responsewriters/encode.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";

export interface DeleteServices {
  readonly registry: Pick<GenericRegistry, "delete">;
  readonly responses: ResponseWriter;
}

/** DELETE of one object. */
export function createDelete({ registry, responses }: DeleteServices): RequestHandler {
  return async (ctx) => {
    const options = await decodeDeleteOptions(ctx);
    const deletion = await registry.delete(ctx, ctx.info.namespace, ctx.info.name, options);
    if (deletion.kind === "lingering") return responses.outcome(ctx, options.cascades ? 202 : 200, deletion.outcome);
    return replyGone(responses, ctx, deletion.outcome);
  };
}

/** A Status, or the last state, as the kind does in Kubernetes. */
async function replyGone(responses: ResponseWriter, ctx: RequestContext, outcome: Outcome): Promise<Reply> {
  const { definition } = ctx.resource;
  if (definition.strategy.returnDeletedObject) return responses.outcome(ctx, 200, outcome);
  const uid = (await responses.objectOf(ctx, outcome)).metadata?.uid;
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
