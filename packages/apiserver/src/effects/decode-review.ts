import type { KubeObject } from "@coxswain/machinery";
import { auditRequestObject } from "../audit/request-object.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import { noteManaged } from "../registry/field-management.ts";
import { settleNamespace } from "../registry/metadata.ts";
import { parseWriteOptions } from "../request/options.ts";
import { admitSubresource } from "./admit-subresource.ts";
import type { EffectServices } from "./services.ts";

export type ReviewServices = Pick<EffectServices, "rest" | "registry" | "admission">;

/** The body of a POST that is answered and not stored, as the object that is sent back with a status. */
export async function decodeReview({ rest, registry, admission }: ReviewServices, ctx: RequestContext): Promise<KubeObject> {
  const options = parseWriteOptions(ctx.query, "CreateOptions");
  const object = await rest.decoder.decode(ctx, ctx.resource, options.fieldValidation);
  auditRequestObject(ctx.audit, object);
  settleNamespace(object, ctx.resource, ctx.info.namespace);
  noteManaged(object, await registry.fields.afterCreate(ctx, object));
  await admitSubresource(admission, ctx, object, options.dryRun);
  return object;
}
