/**
 * How early a pod has to go when its node runs short: what it asks for decides.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
 */
import { parseQuantity, type Quantity } from "@coxswain/machinery";
import type { PodSpec, ResourceRequirements } from "@coxswain/types/core-v1";

/** The quality of service of a Pod, best first. */
export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const counted = ["cpu", "memory"] as const;

/** The class that follows from what a Pod's containers, or the Pod as a whole, request and may use. */
export function qosClass(spec: Readonly<PodSpec>): QosClass {
  const all = spec.resources ? [spec.resources] : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((c) => c.resources);
  if (all.every((r) => sumOf([r], "requests").size === 0 && sumOf([r], "limits").size === 0)) return "BestEffort";
  if (!all.every((r) => sumOf([r], "limits").size === counted.length)) return "Burstable";
  const requests = sumOf(all, "requests");
  const limits = sumOf(all, "limits");
  const equal = requests.size === limits.size && [...requests].every(([name, sum]) => limits.get(name)?.compare(sum) === 0);
  return equal ? "Guaranteed" : "Burstable";
}

function sumOf(all: readonly (Readonly<ResourceRequirements> | undefined)[], which: "requests" | "limits"): Map<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const resources of all) {
    for (const name of counted) {
      const text = resources?.[which]?.[name];
      const amount = text === undefined ? undefined : parseQuantity(text);
      if (amount !== undefined && amount.sign() > 0) sums.set(name, sums.get(name)?.add(amount) ?? amount);
    }
  }
  return sums;
}
