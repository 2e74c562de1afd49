/** What one object counts for in a quota, by the names that quotas have for it. */
import { millisOf, parseQuantity, type Quantity, quantityOf } from "@coxswain/machinery";
import type { PersistentVolumeClaim, Pod, Service } from "@coxswain/types/core-v1";
import type { DeviceRequest, ResourceClaim } from "@coxswain/types/resource-v1";
import { aggregate } from "../pod-spec/default-resources.ts";
import { podRequests } from "../pod-spec/resource-requests.ts";
import { devicesOfClass } from "./countable.ts";

export type Usage = ReadonlyMap<string, Quantity>;

export const one: Quantity = quantityOf(1);

/** A Pod that has ended, or should have, counts as an object and for nothing else. */
export function podUsage(pod: Pod, nowMs: number): Usage {
  const usage = new Map([["count/pods", one]]);
  if (!occupies(pod, nowMs)) return usage;
  usage.set("pods", one);
  for (const [name, amount] of podRequests(pod)) {
    if (isComputed(name)) usage.set(name, amount);
    if (isComputed(name) || name.includes("/")) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limitsOf(pod)) if (isCompute(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

function occupies({ metadata = {}, status }: Pod, nowMs: number): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= (millisOf(deletionTimestamp) ?? 0) + deletionGracePeriodSeconds * 1000;
}

/** What is stated for the Pod as a whole goes before what its containers add up to; what it costs beside them counts where there is a limit. */
function limitsOf({ spec }: Pod): Map<string, Quantity> {
  if (spec === undefined) return new Map();
  const all = aggregate(spec, "limits");
  for (const [name, text] of Object.entries(spec.resources?.limits ?? {})) all.set(name, parseQuantity(text) ?? none);
  for (const [name, text] of Object.entries(spec.overhead ?? {})) {
    const before = all.get(name);
    if (before !== undefined) all.set(name, before.add(parseQuantity(text) ?? none));
  }
  return all;
}

const none = quantityOf(0);

const isCompute = (name: string): boolean => name === "cpu" || name === "memory" || name === "ephemeral-storage";
const isComputed = (name: string): boolean => isCompute(name) || name.startsWith("hugepages-");

export function serviceUsage({ spec = {} }: Service): Usage {
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

export function claimUsage({ metadata = {}, spec = {}, status }: PersistentVolumeClaim): Usage {
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
  // Whole bytes: a quota has no others.
  const storage = (allocated !== undefined && allocated.compare(requested) > 0 ? allocated : requested).roundUp(0);
  usage.set("requests.storage", storage);
  if (storageClass !== "") usage.set(`${ofClass}/requests.storage`, storage);
  return usage;
}

/** As many devices as "all" may turn out to be. */
const maxDevices = 32;

/** @see https://kubernetes.io/docs/concepts/policy/resource-quotas/#resource-quota-for-extended-resources */
export function deviceClaimUsage({ spec = { devices: {} } }: ResourceClaim): Usage {
  const usage = new Map([["count/resourceclaims.resource.k8s.io", one]]);
  for (const request of spec.devices?.requests ?? [])
    for (const [className, count] of devicesOf(request)) {
      const name = `${className}${devicesOfClass}`;
      usage.set(name, (usage.get(name) ?? none).add(quantityOf(count)));
    }
  return usage;
}

/** Of alternatives, for each class the one that takes most. */
function devicesOf({ exactly, firstAvailable = [] }: DeviceRequest): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const wanted = firstAvailable.length > 0 ? firstAvailable : exactly === undefined ? [] : [exactly];
  for (const { deviceClassName, allocationMode, count = 0 } of wanted) {
    const devices = allocationMode === "All" ? maxDevices : allocationMode === "ExactCount" ? count : 0;
    counts.set(deviceClassName, Math.max(counts.get(deviceClassName) ?? 0, devices));
  }
  return counts;
}
