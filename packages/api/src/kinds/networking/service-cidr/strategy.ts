import { field, parseCidr, validateCidr } from "@coxswain/machinery";
import type { ServiceCIDR, ServiceCIDRSpec } from "@coxswain/types/networking-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { addInvalid, type Errors } from "../../../validation/checks.ts";
import { serviceCidrColumns } from "./columns.ts";
import { serviceCidrSubresources } from "./subresources.ts";

/** @see https://kubernetes.io/docs/reference/networking/virtual-ips/ */
export const serviceCidr = defineKind<ServiceCIDR>({
  type: "io.k8s.api.networking.v1.ServiceCIDR",
  subresources: serviceCidrSubresources,
  generation: "never",
  prepareForCreate(obj) {
    obj.status = {};
  },
  validate: ({ spec }, prev) => (prev === undefined || adds(spec, prev.spec) ? validateRanges("spec.cidrs", spec ?? {}) : []),
  /** Ranges are immutable, but one of the other family may be added. */
  validateUpdate: (next, prev) => {
    const out: Errors = [];
    const [after, before] = [next.spec?.cidrs ?? [], prev.spec?.cidrs ?? []];
    if (after.length !== before.length && !adds(next.spec, prev.spec)) out.push(field.invalid("spec.cidrs", after, "field is immutable"));
    else {
      for (const [i, cidr] of before.entries()) {
        if (after[i] !== cidr) out.push(field.invalid(`spec.cidrs[${i}]`, after[i], "field is immutable"));
      }
    }
    return out;
  },
  columns: serviceCidrColumns,
});

const adds = (next: Readonly<ServiceCIDRSpec> | undefined, prev: Readonly<ServiceCIDRSpec> | undefined): boolean =>
  prev?.cidrs?.length === 1 && next?.cidrs?.length === 2;

function validateRanges(path: string, spec: Readonly<ServiceCIDRSpec>): Errors {
  const { cidrs = [] } = spec;
  if (cidrs.length === 0) return [field.required(path, "at least one CIDR required")];
  if (cidrs.length > 2) return [field.invalid(path, { CIDRs: cidrs }, "may only hold up to 2 values")];
  const out: Errors = [];
  for (const [i, cidr] of cidrs.entries()) addInvalid(out, `${path}[${i}]`, cidr, validateCidr(cidr));
  const [first, second] = cidrs.map((cidr) => parseCidr(cidr)?.address.family);
  if (first !== undefined && first === second) {
    out.push(field.invalid(path, cidrs, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"));
  }
  return out;
}
