import type { RequestContext } from "../context.ts";
import type { Reply } from "../contracts/http.ts";
import { decodeBody } from "../negotiation/decode-body.ts";
import { createObject } from "../registry/create.ts";
import { parseWriteOptions } from "../request/options.ts";
import { replyOutcome } from "../responsewriters/write-object.ts";

export async function create(ctx: RequestContext): Promise<Reply> {
  const options = parseWriteOptions(ctx.query, "CreateOptions");
  const object = await decodeBody(ctx, ctx.resource, options.fieldValidation);
  ctx.resource.definition.strategy.defaults?.(object);
  return replyOutcome(ctx, 201, await createObject(ctx, object, options.dryRun));
}
