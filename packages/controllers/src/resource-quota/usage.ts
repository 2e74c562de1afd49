/** What one object counts for in a quota, by the names that quotas have for it. */
import { aggregateResources, type coreV1 } from "@coxswain/api";
import { millisOf, parseQuantity, type Quantity, quantityOf } from "@coxswain/machinery";

export type Usage = ReadonlyMap<string, Quantity>;

export const one: Quantity = quantityOf(1);

/** A Pod that has ended, or should have, counts as an object and for nothing else. */
export function podUsage(pod: coreV1.Pod, nowMs: number): Usage {
  const usage = new Map([["count/pods", one]]);
  if (!occupies(pod, nowMs)) return usage;
  usage.set("pods", one);
  for (const [name, amount] of amounts(pod, "requests")) {
    if (isComputed(name)) usage.set(name, amount);
    if (isComputed(name) || name.includes("/")) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of amounts(pod, "limits")) if (isCompute(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

function occupies({ metadata = {}, status }: coreV1.Pod, nowMs: number): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= (millisOf(deletionTimestamp) ?? 0) + deletionGracePeriodSeconds * 1000;
}

/** What is stated for the Pod as a whole goes before what its containers add up to. */
function amounts({ spec }: coreV1.Pod, which: "requests" | "limits"): Map<string, Quantity> {
  if (spec === undefined) return new Map();
  const all = aggregateResources(spec, which);
  for (const [name, text] of Object.entries(spec.resources?.[which] ?? {})) all.set(name, parseQuantity(text) ?? none);
  for (const [name, text] of Object.entries(spec.overhead ?? {})) {
    const before = all.get(name);
    const overhead = parseQuantity(text) ?? none;
    // A Pod without a limit does not get one by what it costs beside its containers.
    if (before !== undefined) all.set(name, before.add(overhead));
    else if (which === "requests") all.set(name, overhead);
  }
  return all;
}

const none = quantityOf(0);

const isCompute = (name: string): boolean => name === "cpu" || name === "memory" || name === "ephemeral-storage";
const isComputed = (name: string): boolean => isCompute(name) || name.startsWith("hugepages-");

export function serviceUsage({ spec = {} }: coreV1.Service): Usage {
  const usage = new Map([
    ["count/services", one],
    ["services", one],
  ]);
  const { type, ports = [], allocateLoadBalancerNodePorts } = spec;
  const all = quantityOf(ports.length);
  if (type === "NodePort") usage.set("services.nodeports", all);
  if (type !== "LoadBalancer") return usage;
  usage.set("services.loadbalancers", one);
  const given = quantityOf(ports.filter(({ nodePort = 0 }) => nodePort !== 0).length);
  return usage.set("services.nodeports", allocateLoadBalancerNodePorts === false ? given : all);
}

export function claimUsage({ metadata = {}, spec = {}, status }: coreV1.PersistentVolumeClaim): Usage {
  const usage = new Map([
    ["count/persistentvolumeclaims", one],
    ["persistentvolumeclaims", one],
  ]);
  const storageClass = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec.storageClassName ?? "";
  const ofClass = `${storageClass}.storageclass.storage.k8s.io`;
  if (storageClass !== "") usage.set(`${ofClass}/persistentvolumeclaims`, one);
  const requested = parseQuantity(spec.resources?.requests?.storage ?? "");
  if (requested === undefined) return usage;
  // While a claim shrinks back from a size that could not be had, that size may still be taken.
  const allocated = parseQuantity(status?.allocatedResources?.storage ?? "");
  const storage = allocated !== undefined && allocated.compare(requested) > 0 ? allocated : requested;
  usage.set("requests.storage", storage);
  if (storageClass !== "") usage.set(`${ofClass}/requests.storage`, storage);
  return usage;
}
