import type { SubresourceStrategy } from "@coxswain/api";
import { type KubeObject, notFound } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import type { Reply } from "../contracts/http.ts";
import { decodeBody } from "../negotiation/decode-body.ts";
import type { Change } from "../registry/change.ts";
import { createObject } from "../registry/create.ts";
import { checkName, settleNamespace, uidConflict, wholeSeconds } from "../registry/metadata.ts";
import { updateObject } from "../registry/update.ts";
import { parseWriteOptions } from "../request/options.ts";
import { replyOutcome } from "../responsewriters/write-object.ts";
import { keyOf } from "../storage/served-resource.ts";

/** PUT, of the main resource or of its status. */
export async function update(ctx: RequestContext, part: Change["part"] = "main", strategy?: SubresourceStrategy): Promise<Reply> {
  const { resource, info } = ctx;
  const options = parseWriteOptions(ctx.query, "UpdateOptions");
  let decoded: KubeObject | undefined = await wanted(ctx, options.fieldValidation);
  const uid = decoded.metadata?.uid;
  let status = 200;
  const mayCreate = part === "main" && resource.definition.strategy.allowCreateOnUpdate === true;
  const outcome = await updateObject(ctx, info.name, {
    part,
    dryRun: options.dryRun,
    ...(strategy?.validateUpdate === undefined ? {} : { validate: strategy.validateUpdate }),
    // A second try starts from the body again: the first one has changed what it decoded.
    next: async (current) => {
      const object = decoded ?? (await wanted(ctx, "Ignore"));
      decoded = undefined;
      status = 200;
      strategy?.prepareForUpdate?.(object, current, wholeSeconds(ctx.server.clock.now()));
      return object;
    },
    whenAbsent: async () => {
      if (!mayCreate) throw notFound(resource.groupResource, info.name);
      if (uid !== undefined && uid !== "") throw uidConflict(resource, keyOf(resource, info.namespace, info.name), info.name, uid, "");
      status = 201;
      const object = decoded ?? (await wanted(ctx, "Ignore"));
      decoded = undefined;
      // Unlike in a POST, a version does not keep the object from being made.
      delete object.metadata?.resourceVersion;
      return createObject(ctx, object, options.dryRun);
    },
  });
  return replyOutcome(ctx, status, outcome);
}

async function wanted(ctx: RequestContext, fieldValidation: "Ignore" | "Warn" | "Strict"): Promise<KubeObject> {
  const object = await decodeBody(ctx, ctx.resource, fieldValidation);
  ctx.resource.definition.strategy.defaults?.(object);
  settleNamespace(object, ctx.resource, ctx.info.namespace);
  checkName(object, ctx.info.name);
  return object;
}
