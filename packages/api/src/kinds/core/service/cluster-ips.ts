/** The rules for a Service's own addresses: one for each IP family, or none at all. */
import { field } from "@coxswain/machinery";
import type { ServiceSpec } from "@coxswain/types/core-v1";
import { type Errors, oneOf } from "../../../validation/checks.ts";
import { validateIp } from "../../../validation/ip.ts";
import { ipFamilyOf } from "./ip-family.ts";
import { isHeadless } from "./service-type.ts";

const path = "spec.clusterIPs";

/** Looked at before addresses are allocated, and alone. */
export function validateServiceAddresses(spec: Readonly<ServiceSpec>): Errors {
  const out: Errors = [];
  if (spec.type === "ExternalName") return out;
  const { clusterIP = "", clusterIPs = [], ipFamilies = [] } = spec;
  if (clusterIP === "") {
    if (clusterIPs.length > 0) out.push(field.invalid(path, clusterIPs, "must be empty when `clusterIP` is not specified"));
  } else if (clusterIPs.length === 0) out.push(field.required(path));
  else if (clusterIPs[0] !== clusterIP) out.push(field.invalid(path, clusterIPs, "first value must match `clusterIP`"));
  const seen = new Set<string>();
  for (const [i, family] of ipFamilies.entries()) {
    oneOf(out, `spec.ipFamilies[${i}]`, family, ["IPv4", "IPv6"]);
    if (seen.has(family)) out.push(field.duplicate(`spec.ipFamilies[${i}]`, family));
    seen.add(family);
  }
  oneOf(out, "spec.ipFamilyPolicy", spec.ipFamilyPolicy, ["PreferDualStack", "RequireDualStack", "SingleStack"]);
  if (validateSpelling(out, clusterIPs)) validateMatch(out, spec);
  return out;
}

/** Whether every address can be compared with others. */
function validateSpelling(out: Errors, clusterIPs: readonly string[]): boolean {
  const before = out.length;
  for (const [i, ip] of clusterIPs.entries()) {
    if (i > 0 || ip !== "None") validateIp(out, `${path}[${i}]`, ip);
    else if (clusterIPs.length > 1) out.push(field.invalid(path, clusterIPs, "'None' must be the first and only value"));
  }
  const good = out.length === before;
  if (clusterIPs.length > 2) out.push(field.invalid(path, clusterIPs, "may only hold up to 2 values"));
  return good;
}

function validateMatch(out: Errors, spec: Readonly<ServiceSpec>): void {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(ipFamilyOf)).size < 2) {
    out.push(field.invalid(path, clusterIPs, "may specify no more than one IP for each IP family"));
  }
  if (isHeadless(spec)) return;
  for (const [i, ip] of clusterIPs.slice(0, ipFamilies.length).entries()) {
    const family = ipFamilies[i];
    if ((family !== "IPv4" && family !== "IPv6") || ipFamilyOf(ip) === family) continue;
    out.push(field.invalid(`${path}[${i}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``));
  }
}
