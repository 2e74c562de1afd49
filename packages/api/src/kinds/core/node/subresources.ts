import { field } from "@coxswain/machinery";
import type { Node } from "@coxswain/types/core-v1";
import type { Subresources } from "../../../strategy/strategy.ts";
import type { Errors } from "../../../validation/checks.ts";
import { validateAddresses, validateFeatures, validateResources, validateTaints } from "./validation.ts";

export const nodeSubresources: Subresources<Node> = {
  status: {
    prepareForUpdate(next, prev) {
      if (next.status?.config !== undefined && prev.status?.config === undefined) delete next.status.config;
    },
    validateUpdate: validateChange,
  },
};

export function validateChange(next: Readonly<Node>, prev: Readonly<Node>): Errors {
  const out: Errors = [];
  validateResources(out, next);
  validateFeatures(out, next.status?.declaredFeatures ?? []);
  validateAddresses(out, next.status?.addresses ?? []);
  const { podCIDRs = [], providerID = "", externalID = "" } = prev.spec ?? {};
  const ranges = next.spec?.podCIDRs ?? [];
  const lost = ranges.length !== podCIDRs.length ? podCIDRs.slice(0, 1) : podCIDRs.filter((cidr, i) => cidr !== ranges[i]);
  for (const _ of lost) out.push(field.forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  if (providerID !== "" && providerID !== (next.spec?.providerID ?? "")) {
    out.push(field.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  }
  validateTaints(out, next.spec?.taints ?? []);
  if (externalID !== (next.spec?.externalID ?? "")) out.push(field.forbidden("spec.externalID", "may not be updated"));
  return out;
}
