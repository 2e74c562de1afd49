/**
 * Which IP families a Service has, by what it says and what the cluster has.
 * @see https://kubernetes.io/docs/concepts/services-networking/dual-stack/
 */
import { type FieldError, field } from "@coxswain/machinery";
import type { ServiceSpec } from "@coxswain/types/core-v1";
import type { Errors } from "../../../validation/checks.ts";
import { validateServiceAddresses } from "./cluster-ips.ts";
import { ipFamilyOf, type ServiceIpFamily } from "./ip-family.ts";
import { needsClusterIp } from "./service-type.ts";

type Old = Readonly<ServiceSpec>;

const policyPath = "spec.ipFamilyPolicy";

/**
 * Fills in `ipFamilyPolicy` and `ipFamilies` in place; `old` is the spec before an update.
 * @param cluster the families of the cluster, of which the first is the default
 * @returns what is wrong: then no addresses are allocated
 */
export function initIpFamilies(spec: ServiceSpec, old: Old | undefined, cluster: readonly ServiceIpFamily[]): readonly FieldError[] {
  if (!needsClusterIp(spec) || keepsPreferredFamilies(spec, old)) return [];
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isUnmanaged(spec) ? "RequireDualStack" : "SingleStack");
  const invalid = validateServiceAddresses(spec);
  if (invalid.length > 0) return invalid;
  const out: Errors = [];
  if (old !== undefined) releaseSecondary(out, spec, old);
  validatePolicy(out, spec);
  inferFamilies(out, spec, cluster);
  if (out.length > 0) return out;
  // No addresses are allocated for these: any family may be asked for.
  if (!isUnmanaged(spec)) validateFamilies(out, spec, cluster);
  if (out.length > 0) return out;
  const families = spec.ipFamilies?.length ? [...spec.ipFamilies] : cluster.slice(0, 1);
  if (spec.ipFamilyPolicy !== "SingleStack" && families.length === 1 && (isUnmanaged(spec) || cluster.length === 2))
    families.push(families[0] === "IPv4" ? "IPv6" : "IPv4");
  spec.ipFamilies = families;
  return [];
}

/** Headless, and without Pods that would say which families there are. */
const isUnmanaged = ({ clusterIP, selector }: Old): boolean => clusterIP === "None" && Object.keys(selector ?? {}).length === 0;

/** One that prefers both families, and has not changed what it has, does not follow the cluster when that gets or loses a family. */
function keepsPreferredFamilies(spec: ServiceSpec, old: Old | undefined): boolean {
  if (old === undefined || old.type !== spec.type || spec.ipFamilyPolicy !== "PreferDualStack") return false;
  if ((old.ipFamilyPolicy ?? "PreferDualStack") !== "PreferDualStack") return false;
  return isSame(spec.clusterIPs, old.clusterIPs) && isSame(spec.ipFamilies, old.ipFamilies);
}

/** `SingleStack` alone is enough to say that the second family goes; without it, none may. */
function releaseSecondary(out: Errors, spec: ServiceSpec, old: Old): void {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  if (ipFamilyPolicy === "SingleStack") {
    if (clusterIPs.length > 1 && isSame(clusterIPs, old.clusterIPs)) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (ipFamilies.length > 1 && isSame(ipFamilies, old.ipFamilies)) spec.ipFamilies = ipFamilies.slice(0, 1);
    return;
  }
  const refuse = (what: string): void => {
    out.push(field.invalid(policyPath, ipFamilyPolicy ?? null, `must be 'SingleStack' to release the secondary ${what}`));
  };
  if (isReduced(clusterIPs, old.clusterIPs)) refuse("cluster IP");
  if (isReduced(ipFamilies, old.ipFamilies)) refuse("IP family");
}

function validatePolicy(out: Errors, { clusterIPs = [], ipFamilies = [], ipFamilyPolicy }: Old): void {
  if (ipFamilyPolicy !== "SingleStack") return;
  const why = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (clusterIPs.length === 2) out.push(field.invalid(policyPath, ipFamilyPolicy, `${why} cluster IPs are specified`));
  if (ipFamilies.length === 2) out.push(field.invalid(policyPath, ipFamilyPolicy, `${why} IP families are specified`));
}

/** Of the addresses that are asked for. */
function inferFamilies(out: Errors, spec: ServiceSpec, cluster: readonly ServiceIpFamily[]): void {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const families = [...ipFamilies];
  for (const [i, ip] of clusterIPs.entries()) {
    const family = ipFamilyOf(ip);
    if (family === undefined) break;
    if (i < families.length) continue;
    if (cluster.includes(family)) families.push(family);
    else out.push(field.invalid(`spec.clusterIPs[${i}]`, clusterIPs, `${family} is not configured on this cluster`));
  }
  if (families.length > ipFamilies.length) spec.ipFamilies = families;
}

function validateFamilies(out: Errors, { ipFamilies = [], ipFamilyPolicy }: Old, cluster: readonly string[]): void {
  if (ipFamilyPolicy === "RequireDualStack" && cluster.length < 2)
    out.push(field.invalid(policyPath, ipFamilyPolicy, "this cluster is not configured for dual-stack services"));
  for (const [i, family] of ipFamilies.entries()) {
    if (!cluster.includes(family)) out.push(field.invalid(`spec.ipFamilies[${i}]`, family, "not configured on this cluster"));
  }
}

const isSame = (one: readonly string[] = [], other: readonly string[] = []): boolean =>
  one.length === other.length && one.every((value, i) => value === other[i]);

const isReduced = (now: readonly string[], before: readonly string[] = []): boolean => now.length > 0 && now.length < before.length;
