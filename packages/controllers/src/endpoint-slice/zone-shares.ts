import type { coreV1 } from "@coxswain/api";
import { parseQuantity } from "@coxswain/machinery";

const controlPlane = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/** What each zone has of all CPUs of Nodes that are ready; undefined when one of them lacks zone or CPUs, or there is only one zone. */
export function zoneShares(nodes: readonly coreV1.Node[]): ReadonlyMap<string, number> | undefined {
  const cpus = new Map<string, number>();
  let total = 0;
  for (const { metadata, status } of nodes) {
    if (controlPlane.some((label) => metadata?.labels?.[label] !== undefined)) continue;
    if (status?.conditions?.find(({ type }) => type === "Ready")?.status !== "True") continue;
    const zone = metadata?.labels?.["topology.kubernetes.io/zone"] ?? "";
    const milli = milliOf(status.allocatable?.cpu);
    if (zone === "" || milli === 0) return undefined;
    total += milli;
    cpus.set(zone, (cpus.get(zone) ?? 0) + milli);
  }
  return total === 0 || cpus.size < 2 ? undefined : new Map(Array.from(cpus, ([zone, milli]) => [zone, milli / total]));
}

const milliOf = (cpu: unknown): number => Number((typeof cpu === "string" ? parseQuantity(cpu)?.milli() : undefined) ?? 0n);
