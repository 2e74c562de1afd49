import { auditRequestObject } from "../audit/request-object.ts";
import type { RequestHandler } from "../contracts/request-context.ts";
import type { BodyDecoder } from "../negotiation/body-decoder.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import { parseWriteOptions } from "../request/options.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";

export interface CreateServices {
  readonly registry: Pick<GenericRegistry, "create">;
  readonly decoder: BodyDecoder;
  readonly responses: ResponseWriter;
}

/** POST to a collection. */
export function createCreate({ registry, decoder, responses }: CreateServices): RequestHandler {
  return async (ctx) => {
    const options = parseWriteOptions(ctx.query, "CreateOptions");
    const object = await decoder.decode(ctx, ctx.resource, options.fieldValidation);
    ctx.resource.definition.strategy.defaults?.(object);
    auditRequestObject(ctx.audit, object);
    return responses.outcome(ctx, 201, await registry.create(ctx, object, options.dryRun));
  };
}
