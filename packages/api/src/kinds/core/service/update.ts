/** What an update of a Service may not do: addresses and families can be added and given back, but not exchanged. */
import { field } from "@coxswain/machinery";
import type { Service, ServiceSpec } from "@coxswain/types/core-v1";
import type { Errors } from "../../../validation/checks.ts";
import { isHeadless, needsHealthCheckPort, serviceSpecOf } from "./service-type.ts";

type Spec = Readonly<ServiceSpec>;

export function validateServiceChange(next: Readonly<Service>, prev: Readonly<Service>): Errors {
  const out: Errors = [];
  const [spec, old] = [serviceSpecOf(next), serviceSpecOf(prev)];
  if (spec.type !== "ExternalName" && old.type !== "ExternalName") {
    if (!isHeadless(spec) || !isHeadless(old)) validateAddresses(out, spec, old);
    if (!isHeadless(spec) && !isHeadless(old)) validateFamilies(out, spec, old);
  }
  if (spec.type === "LoadBalancer" && old.type === "LoadBalancer" && spec.loadBalancerClass !== old.loadBalancerClass) {
    out.push(field.invalid("spec.loadBalancerClass", spec.loadBalancerClass ?? null, "may not change once set"));
  }
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(old) && spec.healthCheckNodePort !== old.healthCheckNodePort) {
    out.push(field.forbidden("spec.healthCheckNodePort", "field is immutable"));
  }
  return out;
}

function validateAddresses(out: Errors, spec: Spec, { clusterIPs: before = [] }: Spec): void {
  const after = spec.clusterIPs ?? [];
  const changed = (i: number): void => {
    out.push(field.invalid(`spec.clusterIPs[${i}]`, after, "may not change once set"));
  };
  if (after.length === before.length) {
    for (const [i, ip] of before.entries()) if (ip !== after[i]) changed(i);
    return;
  }
  if (before.length > 0 && after.length > 0 && after[0] !== before[0]) changed(0);
  if (after.length > before.length) return;
  if (after.length === 0) out.push(field.invalid("spec.clusterIPs[0]", after, "primary clusterIP can not be unset"));
  if (after.length === 1) validateReleased(out, spec, "clusterIP");
}

function validateFamilies(out: Errors, spec: Spec, { ipFamilies: before = [] }: Spec): void {
  const after = spec.ipFamilies ?? [];
  const path = "spec.ipFamilies[0]";
  if (after.length === before.length) {
    for (const [i, family] of before.entries()) if (family !== after[i]) out.push(field.invalid(path, after, "may not change once set"));
    return;
  }
  if (before.length > 0 && after.length > 0 && after[0] !== before[0]) {
    out.push(field.invalid(path, spec.clusterIPs ?? [], "may not change once set"));
  }
  if (after.length > before.length) return;
  if ((spec.clusterIPs ?? []).length === 0) out.push(field.invalid(path, after, "primary ipFamily can not be unset"));
  if (after.length === 1) validateReleased(out, spec, "ipFamily");
}

function validateReleased(out: Errors, { ipFamilyPolicy }: Spec, what: string): void {
  if (ipFamilyPolicy === "SingleStack") return;
  out.push(
    field.invalid("spec.ipFamilyPolicy", ipFamilyPolicy ?? null, `must be set to 'SingleStack' when releasing the secondary ${what}`),
  );
}
