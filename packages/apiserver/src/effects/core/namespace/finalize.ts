/** PUT of a Namespace to `/finalize`: only its spec.finalizers change, and without any the Namespace goes. */
import { validateNamespaceFinalize } from "@coxswain/api";
import { invalid, type KubeObject } from "@coxswain/machinery";
import type { RequestContext } from "../../../context.ts";
import type { Reply } from "../../../contracts/http.ts";
import type { SubresourceEffect } from "../../../handlers/effect.ts";
import { decodeBody } from "../../../negotiation/decode-body.ts";
import { checkName } from "../../../registry/metadata.ts";
import { updateObject } from "../../../registry/update.ts";
import { parseWriteOptions } from "../../../request/options.ts";
import { replyOutcome } from "../../../responsewriters/write-object.ts";
import { cloneJson } from "../../../storage/clone-json.ts";

interface NamespaceShape extends KubeObject {
  spec?: { finalizers?: string[] };
}

export const namespaceFinalize: SubresourceEffect = { on: "/namespaces/finalize", answers: "object", create: () => finalizeNamespace };

async function finalizeNamespace(ctx: RequestContext): Promise<Reply> {
  const options = parseWriteOptions(ctx.query, "UpdateOptions");
  const wanted: NamespaceShape = await decodeBody(ctx, ctx.resource, options.fieldValidation);
  checkName(wanted, ctx.info.name);
  const outcome = await updateObject(ctx, ctx.info.name, {
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
  return replyOutcome(ctx, 200, outcome);
}
