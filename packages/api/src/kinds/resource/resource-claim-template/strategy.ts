import type { ResourceClaimTemplate } from "@coxswain/types/resource-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { nameAndAge } from "../../../table/columns.ts";
import { type Errors, immutableAs } from "../../../validation/checks.ts";
import { validateTemplateMeta } from "../../../validation/metadata/template.ts";
import { defaultDeviceClaim, validateDeviceClaim } from "../../../validation/resource/device-claim.ts";

const immutableResourceClaimTemplateSpec = immutableAs("ResourceClaimTemplateSpec");

/** What the claims that are made for Pods look like. */
export const resourceClaimTemplate = defineKind<ResourceClaimTemplate>({
  type: "io.k8s.api.resource.v1.ResourceClaimTemplate",
  metadataPasses: ["whole", "changes"],
  returnDeletedObject: true,
  generation: "never",
  defaults: ({ spec }) => defaultDeviceClaim(spec?.spec?.devices ?? {}),
  validateCreate: ({ spec }) => {
    const out: Errors = [];
    validateTemplateMeta(out, spec?.metadata ?? {}, "spec.metadata");
    validateDeviceClaim(out, "spec.spec.devices", spec?.spec?.devices ?? {});
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutableResourceClaimTemplateSpec(out, "spec", next.spec, prev.spec);
    return out;
  },
  columns: nameAndAge,
});
