import type { KubeObject } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import { decodeBody } from "../negotiation/decode-body.ts";
import { managedAfterCreate, noteManaged } from "../registry/field-management.ts";
import { settleNamespace } from "../registry/metadata.ts";
import { parseWriteOptions } from "../request/options.ts";

/** The body of a POST that is answered and not stored, as the object that is sent back with a status. */
export async function decodeReview(ctx: RequestContext): Promise<KubeObject> {
  const options = parseWriteOptions(ctx.query, "CreateOptions");
  const object = await decodeBody(ctx, ctx.resource, options.fieldValidation);
  settleNamespace(object, ctx.resource, ctx.info.namespace);
  noteManaged(object, await managedAfterCreate(ctx, object));
  return object;
}
