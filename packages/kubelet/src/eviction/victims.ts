/** Which Pod goes first when a node runs short, and what it is told. */
import type { coreV1 } from "@coxswain/api";
import { parseQuantity, quantityOf } from "@coxswain/machinery";
import type { Pod } from "../parts.ts";
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

const countedBy = (shortage: Shortage): Counted => (resourceOf(shortage.signal) === "memory" ? "memory" : "ephemeral-storage");

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
    const over = usageOf(usage, resource) - requestOf(usage.pod, resource);
    return { usage, over, priority: usage.pod.spec?.priority ?? 0 };
  });
  ranked.sort((a, b) => Number(b.over > 0) - Number(a.over > 0) || a.priority - b.priority || b.over - a.over);
  return ranked.map(({ usage }) => usage);
}

function usageOf({ containers, volumes }: PodUsage, resource: Counted): number {
  const sum = containers.reduce((total, { memory, storage }) => total + (resource === "memory" ? memory : storage), 0);
  return resource === "memory" ? sum : sum + sumOf(volumes);
}

const requestOf = ({ spec }: Pod, resource: Counted): number =>
  (spec?.containers ?? []).reduce((sum, container) => sum + containerRequest(container, resource), 0);

const containerRequest = ({ resources }: coreV1.Container, resource: Counted): number => {
  const request = resources?.requests?.[resource] ?? resources?.limits?.[resource];
  return request === undefined ? 0 : amountOf(request);
};

/** The Pod's `status.message`. */
export function evictionMessage({ pod, containers }: PodUsage, shortage: Shortage): string {
  const { signal, available, least } = shortage;
  const resource = countedBy(shortage);
  const parts = [
    `The node was low on resource: ${resourceOf(signal)}. `,
    `Threshold quantity: ${amountText(signal, least)}, available: ${bytesText(available)}. `,
  ];
  for (const usage of containers) {
    const container = pod.spec?.containers.find(({ name }) => name === usage.name);
    const used = resource === "memory" ? usage.memory : usage.storage;
    const request = container === undefined ? 0 : containerRequest(container, resource);
    if (used > request)
      parts.push(
        `Container ${usage.name} was using ${bytesText(used)}, request is ${bytesText(request)}, has larger consumption of ${resource}. `,
      );
  }
  return parts.join("");
}

const bytesText = (bytes: number): string => quantityOf(Math.floor(bytes), "BinarySI").toString();

const amountOf = (quantity: string | number): number => parseQuantity(String(quantity))?.toNumber() ?? 0;

const sumOf = (volumes: ReadonlyMap<string, number>): number => [...volumes.values()].reduce((sum, bytes) => sum + bytes, 0);

/** What a Pod is told that uses more local storage than it may; undefined while it does not. */
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
