import { field } from "@coxswain/machinery";
import type { Node } from "@coxswain/types/core-v1";
import { roundAmounts } from "../../../pod-spec/default-resources.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import { cidrWarnings } from "../../../validation/address-warnings.ts";
import type { Errors } from "../../../validation/checks.ts";
import { nodeColumns } from "./columns.ts";
import { nodeSubresources, validateChange } from "./subresources.ts";
import { validateFeatures, validatePodCidrs, validateResources, validateTaints } from "./validation.ts";

export const node = defineKind<Node>({
  type: "io.k8s.api.core.v1.Node",
  metadataPasses: ["whole", "changes"],
  generation: "never",
  defaults,
  prepareForCreate(obj) {
    // Configuration through the API server is gone; its fields remain for old objects.
    if (obj.spec?.configSource !== undefined) delete obj.spec.configSource;
    if (obj.status?.config !== undefined) delete obj.status.config;
  },
  prepareForUpdate(next, prev) {
    if (next.spec?.configSource !== undefined && prev.spec?.configSource === undefined) delete next.spec.configSource;
  },
  subresources: nodeSubresources,
  validate: (obj) => {
    const out: Errors = [];
    validateTaints(out, obj.spec?.taints ?? []);
    validateResources(out, obj);
    const swap = obj.status?.nodeInfo?.swap?.capacity;
    // The path is Kubernetes' own.
    if (swap !== undefined && swap <= 0) out.push(field.invalid("metadata.nodeSwapStatus.capacity", swap, "must be greater than 0"));
    validateFeatures(out, obj.status?.declaredFeatures ?? []);
    validatePodCidrs(out, obj.spec?.podCIDRs ?? []);
    return out;
  },
  // Kubernetes runs these rules once more for an update, and reports each error as often.
  validateUpdate: validateChange,
  warnings,
  selectableFields: ({ spec }) => ({ "spec.unschedulable": String(spec?.unschedulable ?? false) }),
  columns: nodeColumns,
});

/** The first of podCIDRs and podCIDR are one; where they differ the older field counts. */
function defaults(obj: Node): void {
  const { spec, status } = obj;
  if (spec !== undefined) {
    const { podCIDR, podCIDRs = [] } = spec;
    if (podCIDR && podCIDR !== podCIDRs[0]) spec.podCIDRs = [podCIDR];
    else if (podCIDRs[0] !== undefined) spec.podCIDR = podCIDRs[0];
  }
  roundAmounts(status?.capacity);
  roundAmounts(status?.allocatable);
  if (status?.capacity !== undefined) status.allocatable ??= { ...status.capacity };
}

function* warnings({ spec }: Readonly<Node>): Generator<string> {
  if (spec?.configSource !== undefined) yield "spec.configSource: the feature is removed";
  if (spec?.externalID) yield "spec.externalID: this field is deprecated, and is unused by Kubernetes";
  for (const [i, cidr] of (spec?.podCIDRs ?? []).entries()) yield* cidrWarnings(`spec.podCIDRs[${i}]`, cidr);
}
