import type { ResourceClaim } from "@coxswain/types/resource-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { type Errors, immutableAs } from "../../../validation/checks.ts";
import { defaultDeviceClaim, validateDeviceClaim } from "../../../validation/resource/device-claim.ts";
import { resourceClaimColumns } from "./columns.ts";
import { resourceClaimSubresources } from "./subresources.ts";

const immutableResourceClaimSpec = immutableAs("ResourceClaimSpec");

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ */
export const resourceClaim = defineKind<ResourceClaim>({
  type: "io.k8s.api.resource.v1.ResourceClaim",
  metadataPasses: ["whole", "changes"],
  returnDeletedObject: true,
  generation: "never",
  defaults({ spec, status }) {
    defaultDeviceClaim(spec?.devices ?? {});
    for (const { tolerations = [] } of status?.allocation?.devices?.results ?? []) {
      for (const toleration of tolerations) toleration.operator ||= "Equal";
    }
  },
  prepareForCreate(obj) {
    obj.status = {};
  },
  /** Reports on devices go with the allocation. */
  subresources: resourceClaimSubresources,
  validateCreate: ({ spec }) => {
    const out: Errors = [];
    validateDeviceClaim(out, "spec.devices", spec?.devices ?? {});
    return out;
  },
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    immutableResourceClaimSpec(out, "spec", next.spec, prev.spec);
    return out;
  },
  columns: resourceClaimColumns,
});
