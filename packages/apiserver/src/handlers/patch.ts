/**
 * PATCH: the current object, changed as the patch says, written as an update. Without a resourceVersion in the patch it never
 * conflicts: when another writer was faster it is applied again to what is there then.
 */
import type { SubresourceStrategy } from "@coxswain/api";
import type { Clock } from "@coxswain/machinery";
import { auditPatch } from "../audit/request-object.ts";
import type { Reply } from "../contracts/http.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import type { Change } from "../registry/change.ts";
import type { GenericRegistry } from "../registry/generic-registry.ts";
import { wholeSeconds } from "../registry/metadata.ts";
import { parseWriteOptions } from "../request/options.ts";
import type { ResponseWriter } from "../responsewriters/response-writer.ts";
import { apply } from "./apply.ts";
import { patchKindOf } from "./patch-kind.ts";
import { createPatcher } from "./patcher.ts";
import type { PartHandler } from "./update.ts";

export interface PatchServices {
  readonly registry: Pick<GenericRegistry, "create" | "update" | "fields">;
  readonly served: Pick<ServedResources, "byKind">;
  readonly responses: ResponseWriter;
  readonly clock: Clock;
}

/** PATCH, of the main resource or of a part of it. */
export const createPatch =
  (services: PatchServices): PartHandler =>
  (ctx, part = "main", strategy) =>
    patch(services, ctx, part, strategy);

async function patch(
  services: PatchServices,
  ctx: RequestContext,
  part: Change["part"],
  strategy: SubresourceStrategy | undefined,
): Promise<Reply> {
  const kind = patchKindOf(ctx);
  auditPatch(ctx.audit, ctx.body);
  if (kind === "apply") return apply(services, ctx, part, strategy);
  const { registry, served, responses, clock } = services;
  const options = parseWriteOptions(ctx.query, "PatchOptions");
  const patchObject = createPatcher(ctx, { kind, options, resource: ctx.resource, served });
  const outcome = await registry.update(ctx, ctx.info.name, {
    part,
    dryRun: options.dryRun,
    ...(strategy?.validateUpdate === undefined ? {} : { validate: strategy.validateUpdate }),
    next: (current) => {
      const next = patchObject(current);
      strategy?.prepareForUpdate?.(next, current, wholeSeconds(clock.now()));
      return next;
    },
  });
  return responses.outcome(ctx, 200, outcome);
}
