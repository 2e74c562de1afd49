/** The cluster IPs of a Service: one for each of its families. */
import { type coreV1, ipFamilyOf, needsClusterIp, type ServiceIpFamily } from "@coxswain/api";
import { field, goQuote, internalError } from "@coxswain/machinery";
import type { Allocating } from "./allocating.ts";
import { ipAllocated } from "./service-ip-allocator.ts";

type Spec = coreV1.ServiceSpec;

/** Those of a new Service, or of one that was an external name before. */
export function allocateClusterIps(allocating: Allocating, spec: Spec): void {
  if (!needsClusterIp(spec) || spec.clusterIPs?.[0] === "None") return;
  const families = familiesOf(spec);
  // What is to be allocated is empty until it is: so errors show it.
  const ips = families.map((_, i) => spec.clusterIPs?.[i] ?? "");
  for (const [i, family] of families.entries()) ips[i] = allocated(allocating, { family, ips, i });
  spec.clusterIPs = ips;
  spec.clusterIP = ips[0] ?? "";
}

/** What is there already is kept; a second family gets its address. */
export function updateClusterIps(allocating: Allocating, spec: Spec, before: Readonly<Spec>): void {
  if (!needsClusterIp(before)) {
    allocateClusterIps(allocating, spec);
    return;
  }
  const kept = (before.clusterIPs ?? []).filter((ip) => spec.clusterIPs?.includes(ip));
  for (const ip of kept) hold(allocating, ip);
  if (before.clusterIPs?.[0] === "None" || !needsClusterIp(spec)) return;
  const [first, family] = familiesOf(spec);
  if (before.ipFamilies?.length !== 1 || first === undefined || family === undefined) return;
  const ips = [spec.clusterIPs?.[0] ?? "", spec.clusterIPs?.[1] ?? ""];
  // It has its first address, and may not move it behind another one.
  if (ips[1] !== "" && kept.includes(ips[1] ?? "")) refuseIp(allocating, { ips, ip: ips[1] ?? "", problem: ipAllocated });
  ips[1] = allocated(allocating, { family, ips, i: 1 });
  spec.clusterIPs = ips;
}

/** Whether others have taken it meanwhile is not said here: then the write is out of date. */
function hold({ allocation }: Allocating, ip: string): void {
  const family = ipFamilyOf(ip);
  if (family !== undefined) allocation.allocateIp(family, ip);
}

interface Wanted {
  readonly family: ServiceIpFamily;
  /** Of all families. */
  readonly ips: readonly string[];
  /** Which of them. */
  readonly i: number;
}

/** @throws invalid() */
function allocated({ allocation, refuse, name }: Allocating, { family, ips, i }: Wanted): string {
  const asked = ips[i] ?? "";
  if (asked !== "") {
    const problem = allocation.allocateIp(family, asked);
    return problem === undefined ? asked : refuseIp({ refuse }, { ips, ip: asked, problem });
  }
  const next = allocation.nextIp(family);
  if ("ip" in next) return next.ip;
  if (next.problem === "range is full") throw internalError(`failed to allocate a serviceIP for Service ${goQuote(name)}: range is full`);
  return refuse(field.invalid("spec.clusterIPs", ips, `failed to allocate IP: ${next.problem}`));
}

const refuseIp = (
  { refuse }: Pick<Allocating, "refuse">,
  { ips, ip, problem }: { readonly ips: readonly string[]; readonly ip: string; readonly problem: string },
): never => refuse(field.invalid("spec.clusterIPs", ips, `failed to allocate IP ${ip}: ${problem}`));

const familiesOf = ({ ipFamilies = [] }: Spec): readonly ServiceIpFamily[] =>
  ipFamilies.filter((family): family is ServiceIpFamily => family === "IPv4" || family === "IPv6");
