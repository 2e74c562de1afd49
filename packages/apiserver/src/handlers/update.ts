import type { SubresourceStrategy } from "@coxswain/api";
import { type Clock, type KubeObject, notFound } from "@coxswain/machinery";
import { auditRequestObject } from "../audit/request-object.ts";
import type { Reply } from "../contracts/http.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import type { BodyDecoder } from "../negotiation/body-decoder.ts";
import type { Change } from "../registry/change.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import { checkName, preconditionConflict, settleNamespace, wholeSeconds } from "../registry/metadata.ts";
import { parseWriteOptions } from "../request/options.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";
import { keyOf } from "../storage/served-resource.ts";

/** Writes an object, or the part of it that a subresource is. */
export type PartHandler = (ctx: RequestContext, part?: Change["part"], strategy?: SubresourceStrategy) => Promise<Reply>;

export interface UpdateServices {
  readonly registry: Pick<GenericRegistry, "create" | "update">;
  readonly decoder: BodyDecoder;
  readonly responses: ResponseWriter;
  readonly clock: Clock;
}

/** PUT, of the main resource or of a part of it. */
export const createUpdate =
  (services: UpdateServices): PartHandler =>
  (ctx, part = "main", strategy) =>
    update(services, ctx, part, strategy);

async function update(
  services: UpdateServices,
  ctx: RequestContext,
  part: Change["part"],
  strategy: SubresourceStrategy | undefined,
): Promise<Reply> {
  const { registry, decoder, responses, clock } = services;
  const { resource, info } = ctx;
  const options = parseWriteOptions(ctx.query, "UpdateOptions");
  let decoded: KubeObject | undefined = await wanted(decoder, ctx, options.fieldValidation);
  const uid = decoded.metadata?.uid;
  let status = 200;
  const mayCreate = part === "main" && resource.definition.strategy.allowCreateOnUpdate === true;
  const outcome = await registry.update(ctx, info.name, {
    part,
    dryRun: options.dryRun,
    ...(strategy?.validateUpdate === undefined ? {} : { validate: strategy.validateUpdate }),
    // A second try starts from the body again: the first one has changed what it decoded.
    next: async (current) => {
      const object = decoded ?? (await wanted(decoder, ctx, "Ignore"));
      decoded = undefined;
      status = 200;
      strategy?.prepareForUpdate?.(object, current, wholeSeconds(clock.now()));
      return object;
    },
    whenAbsent: async () => {
      if (!mayCreate) throw notFound(resource.groupResource, info.name);
      if (uid !== undefined && uid !== "")
        throw preconditionConflict(resource, keyOf(resource, info.namespace, info.name), info.name, {
          what: "UID",
          asked: uid,
          actual: "",
        });
      status = 201;
      const object = decoded ?? (await wanted(decoder, ctx, "Ignore"));
      decoded = undefined;
      // Unlike in a POST, a version does not keep the object from being made.
      delete object.metadata?.resourceVersion;
      return registry.create(ctx, object, options.dryRun);
    },
  });
  return responses.outcome(ctx, status, outcome);
}

async function wanted(decoder: BodyDecoder, ctx: RequestContext, fieldValidation: "Ignore" | "Warn" | "Strict"): Promise<KubeObject> {
  const object = await decoder.decode(ctx, ctx.resource, fieldValidation);
  ctx.resource.definition.strategy.defaults?.(object);
  auditRequestObject(ctx.audit, object);
  settleNamespace(object, ctx.resource, ctx.info.namespace);
  checkName(object, ctx.info.name);
  return object;
}
