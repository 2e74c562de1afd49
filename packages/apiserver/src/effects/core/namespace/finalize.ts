/** PUT of a Namespace to `/finalize`: only its spec.finalizers change, and without any the Namespace goes. */

import { validateNamespaceFinalize } from "@coxswain/api";
import { invalid, type KubeObject } from "@coxswain/machinery";
import { auditRequestObject } from "../../../audit/request-object.ts";
import type { Reply } from "../../../contracts/http.ts";
import type { RequestContext } from "../../../contracts/request-context.ts";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { checkName } from "../../../registry/metadata.ts";
import { parseWriteOptions } from "../../../request/options.ts";
import { cloneJson } from "../../../storage/clone-json.ts";
import type { EffectServices } from "../../services.ts";

interface NamespaceShape extends KubeObject {
  spec?: { finalizers?: string[] };
}

type FinalizeServices = Pick<EffectServices, "registry" | "rest">;

export const namespaceFinalize: SubresourceEffect<FinalizeServices> = {
  on: "/namespaces/finalize",
  answers: "object",
  create: (services) => (ctx) => finalizeNamespace(services, ctx),
};

async function finalizeNamespace({ registry, rest }: FinalizeServices, ctx: RequestContext): Promise<Reply> {
  const options = parseWriteOptions(ctx.query, "UpdateOptions");
  const wanted: NamespaceShape = await rest.decoder.decode(ctx, ctx.resource, options.fieldValidation);
  auditRequestObject(ctx.audit, wanted);
  checkName(wanted, ctx.info.name);
  const outcome = await registry.update(ctx, ctx.info.name, {
    part: "free",
    dryRun: options.dryRun,
    next: (current) => {
      const next: NamespaceShape = cloneJson(current as KubeObject);
      const { uid, resourceVersion } = wanted.metadata ?? {};
      next.metadata = { ...next.metadata, ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
      const finalizers = wanted.spec?.finalizers ?? [];
      const errors = validateNamespaceFinalize(wanted);
      if (errors.length > 0) throw invalid(ctx.resource.definition, ctx.info.name, errors);
      next.spec = finalizers.length === 0 ? {} : { ...next.spec, finalizers };
      return next;
    },
  });
  return rest.responses.outcome(ctx, 200, outcome);
}
