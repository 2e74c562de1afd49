/** Which Pod is evicted first under node pressure, and with what message. */
import { type coreV1, podRequests } from "@coxswain/api";
import { parseQuantity, quantityOf } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";
import { amountText, resourceOf, type Shortage } from "./thresholds.ts";

export interface ContainerUsage {
  readonly name: string;
  /** Bytes. */
  readonly memory: number;
  /** Bytes: writable layer and logs. */
  readonly storage: number;
}

export interface PodUsage {
  readonly pod: Pod;
  readonly containers: readonly ContainerUsage[];
  /** Bytes of each of the Pod's own volumes on this node, by name. */
  readonly volumes: ReadonlyMap<string, number>;
}

type Counted = "memory" | "ephemeral-storage";

/** Undefined: processes per Pod are not counted. The Pod that fills a disk has most of its inodes, too. */
function countedBy({ signal }: Shortage): Counted | undefined {
  const resource = resourceOf(signal);
  if (resource === "pids") return undefined;
  return resource === "memory" ? "memory" : "ephemeral-storage";
}

/** Pods that the node itself needs are never evicted. */
export const isCritical = ({ metadata, spec }: Pod): boolean => {
  const source = metadata?.annotations?.["kubernetes.io/config.source"];
  return (source !== undefined && source !== "api") || (spec?.priority ?? 0) >= systemCriticalPriority;
};

const systemCriticalPriority = 2_000_000_000;

/** Those that use more than they asked for come first, then the least important, then the largest. */
export function inOrderOfEviction(usages: readonly PodUsage[], shortage: Shortage): PodUsage[] {
  const resource = countedBy(shortage);
  const ranked = usages.map((usage) => {
    const over = resource === undefined ? 0 : usageOf(usage, resource) - requestOf(usage.pod, resource);
    return { usage, over, priority: usage.pod.spec?.priority ?? 0 };
  });
  ranked.sort((a, b) => Number(b.over > 0) - Number(a.over > 0) || a.priority - b.priority || b.over - a.over);
  return ranked.map(({ usage }) => usage);
}

function usageOf({ containers, volumes }: PodUsage, resource: Counted): number {
  const sum = containers.reduce((total, { memory, storage }) => total + (resource === "memory" ? memory : storage), 0);
  return resource === "memory" ? sum : sum + sumOf(volumes);
}

/** Of all that run at a time, those beside the others too. */
const requestOf = (pod: Pod, resource: Counted): number => podRequests(pod, { actual: false }).get(resource)?.toNumber() ?? 0;

/** The Pod's `status.message`. */
export function evictionMessage(usage: PodUsage, shortage: Shortage): string {
  const { pod, containers } = usage;
  const { signal, available, least } = shortage;
  const resource = resourceOf(signal);
  const parts = [
    `The node was low on resource: ${resourceOf(signal)}. `,
    `Threshold quantity: ${amountText(signal, least)}, available: ${amountText(signal, available)}. `,
  ];
  if (resource !== "memory" && resource !== "ephemeral-storage") return parts.join("");
  const { spec } = pod;
  const ofPod = resource === "memory" ? spec?.resources?.requests?.memory : undefined;
  if (ofPod !== undefined) parts.push(largerText(`Pod ${pod.metadata?.name}`, usageOf(usage, resource), amountOf(ofPod), resource));
  // Ephemeral containers cannot ask for anything.
  const asking = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  for (const one of containers) {
    const container = asking.find(({ name }) => name === one.name);
    const used = resource === "memory" ? one.memory : one.storage;
    const request = amountOf(container?.resources?.requests?.[resource] ?? 0);
    if (container !== undefined && used > request) parts.push(largerText(`Container ${one.name}`, used, request, resource));
  }
  return parts.join("");
}

const largerText = (who: string, used: number, request: number, resource: Counted): string =>
  `${who} was using ${bytesText(used)}, request is ${bytesText(request)}, has larger consumption of ${resource}. `;

const bytesText = (bytes: number): string => quantityOf(Math.floor(bytes), "BinarySI").toString();

const amountOf = (quantity: string | number): number => parseQuantity(String(quantity))?.toNumber() ?? 0;

const sumOf = (volumes: ReadonlyMap<string, number>): number => [...volumes.values()].reduce((sum, bytes) => sum + bytes, 0);

/** The message for a Pod that exceeds its local storage; undefined while it does not. */
export const overLimit = (usage: PodUsage): string | undefined => overEmptyDir(usage) ?? overContainer(usage) ?? overPod(usage);

function overEmptyDir({ pod, volumes }: PodUsage): string | undefined {
  for (const { name, emptyDir } of pod.spec?.volumes ?? []) {
    const limit = amountOf(emptyDir?.sizeLimit ?? 0);
    if (limit > 0 && (volumes.get(name) ?? 0) > limit)
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${emptyDir?.sizeLimit}". `;
  }
  return undefined;
}

const storageLimit = ({ resources }: coreV1.Container) => resources?.limits?.["ephemeral-storage"];

function overContainer({ pod, containers }: PodUsage): string | undefined {
  for (const container of pod.spec?.containers ?? []) {
    const limit = storageLimit(container);
    const used = containers.find(({ name }) => name === container.name)?.storage ?? 0;
    if (limit !== undefined && used > amountOf(limit))
      return `Container ${container.name} exceeded its local ephemeral storage limit "${limit}". `;
  }
  return undefined;
}

/** Only where each container has a limit has the Pod one. */
function overPod({ pod, containers, volumes }: PodUsage): string | undefined {
  const limits = (pod.spec?.containers ?? []).map(storageLimit);
  if (limits.length === 0 || limits.includes(undefined)) return undefined;
  const limit = limits.reduce<number>((sum, one) => sum + amountOf(one ?? 0), 0);
  const used = containers.reduce((sum, { storage }) => sum + storage, 0) + sumOf(volumes);
  return used > limit ? `Pod ephemeral local storage usage exceeds the total limit of containers ${bytesText(limit)}. ` : undefined;
}
