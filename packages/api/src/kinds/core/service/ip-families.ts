/**
 * Which IP families a Service has. This cluster hands out IPv4 addresses only.
 * @see https://kubernetes.io/docs/concepts/services-networking/dual-stack/
 */
import { field, parseIp } from "@coxswain/machinery";
import type { ServiceSpec } from "@coxswain/types/core-v1";
import type { Errors } from "../../../validation/checks.ts";

const clusterFamily = "IPv4";

/** In place; `old` is the spec before an update. What cannot be is left for the rules to refuse. */
export function initIpFamilies(spec: ServiceSpec, old: Readonly<ServiceSpec> | undefined): void {
  if (spec.type === "ExternalName") return;
  const unmanaged = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (unmanaged ? "RequireDualStack" : "SingleStack");
  const single = spec.ipFamilyPolicy === "SingleStack";
  const families = [...(spec.ipFamilies ?? [])];
  for (const ip of (spec.clusterIPs ?? []).slice(families.length)) {
    if (familyOf(ip) === clusterFamily && !families.includes(clusterFamily)) families.push(clusterFamily);
  }
  // An address of another family is refused as such.
  const isForeign = (spec.clusterIPs ?? []).some((ip) => familyOf(ip) !== clusterFamily && familyOf(ip) !== undefined);
  if (families.length === 0 && !isForeign) families.push(clusterFamily);
  // No addresses are allocated for these, so both families are there.
  if (unmanaged && !single && families.length === 1) families.push(families[0] === "IPv4" ? "IPv6" : "IPv4");
  spec.ipFamilies = families;
}

export function familyOf(ip: string): "IPv4" | "IPv6" | undefined {
  const family = parseIp(ip)?.family;
  return family === undefined ? undefined : family === 4 ? "IPv4" : "IPv6";
}

/** What a cluster with one family cannot do. Shapes and spellings are checked before. */
export function validateIpFamilies(out: Errors, spec: Readonly<ServiceSpec>): void {
  const { clusterIP, clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const path = "spec.ipFamilyPolicy";
  if (ipFamilyPolicy === "SingleStack") {
    const why = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
    if (clusterIPs.length === 2) out.push(field.invalid(path, ipFamilyPolicy, `${why} cluster IPs are specified`));
    if (ipFamilies.length === 2) out.push(field.invalid(path, ipFamilyPolicy, `${why} IP families are specified`));
  }
  for (const [i, ip] of clusterIPs.entries()) {
    const family = familyOf(ip);
    if (family === undefined || family === clusterFamily || i < ipFamilies.length) continue;
    out.push(field.invalid(`spec.clusterIPs[${i}]`, clusterIPs, `${family} is not configured on this cluster`));
  }
  if (out.length > 0 || (clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0)) return;
  if (ipFamilyPolicy === "RequireDualStack") {
    out.push(field.invalid(path, ipFamilyPolicy, "this cluster is not configured for dual-stack services"));
  }
  for (const [i, family] of ipFamilies.entries()) {
    if (family !== clusterFamily) out.push(field.invalid(`spec.ipFamilies[${i}]`, family, "not configured on this cluster"));
  }
}
