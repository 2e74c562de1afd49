/** Which Pods are deleted because no kubelet and no controller will. */
import type { coreV1 } from "@coxswain/api";
import { millisOf } from "@coxswain/machinery";
import { isPodTerminal, type Pod } from "../shared/pods/pod-state.ts";

export interface ObservedPods {
  readonly pods: readonly Pod[];
  /** By name. */
  readonly nodes: ReadonlyMap<string, coreV1.Node>;
  /** Nodes that the server has said not to exist. */
  readonly goneNodes: ReadonlySet<string>;
  /** So many Pods that have ended may stay. 0: all of them. */
  readonly terminatedThreshold: number;
}

export interface Removal {
  readonly pod: Pod;
  readonly reason: "terminated" | "out-of-service" | "orphaned" | "unscheduled";
}

/** Each Pod once, for the first reason that there is. */
export function plan(observed: ObservedPods): readonly Removal[] {
  const { pods, goneNodes } = observed;
  const removals = [
    ...surplus(observed).map((pod): Removal => ({ pod, reason: "terminated" })),
    ...pods.filter((pod) => isOutOfService(pod, observed)).map((pod): Removal => ({ pod, reason: "out-of-service" })),
    ...pods.filter(({ spec }) => goneNodes.has(spec?.nodeName ?? "")).map((pod): Removal => ({ pod, reason: "orphaned" })),
    ...pods.filter(isStranded).map((pod): Removal => ({ pod, reason: "unscheduled" })),
  ];
  const seen = new Set<Pod>();
  return removals.filter(({ pod }) => !seen.has(pod) && seen.add(pod));
}

/** Nodes that Pods name and that are not in the cache. */
export const unknownNodes = (pods: readonly Pod[], nodes: ReadonlyMap<string, coreV1.Node>): ReadonlySet<string> =>
  new Set(pods.map(({ spec }) => spec?.nodeName ?? "").filter((name) => name !== "" && !nodes.has(name)));

/** Of those that have ended, the oldest, and before them those that were evicted: their results are not needed. */
function surplus({ pods, terminatedThreshold }: ObservedPods): readonly Pod[] {
  if (terminatedThreshold <= 0) return [];
  const ended = pods.filter(isPodTerminal);
  if (ended.length <= terminatedThreshold) return [];
  return ended.sort(evictedAndOldestFirst).slice(0, ended.length - terminatedThreshold);
}

function evictedAndOldestFirst(a: Pod, b: Pod): number {
  const evicted = Number(isEvicted(b)) - Number(isEvicted(a));
  if (evicted !== 0) return evicted;
  const age = createdAt(a) - createdAt(b);
  return age !== 0 ? age : nameOf(a) < nameOf(b) ? -1 : 1;
}

const isEvicted = ({ status }: Pod): boolean => status?.phase === "Failed" && status.reason === "Evicted";
const createdAt = ({ metadata }: Pod): number => millisOf(metadata?.creationTimestamp) ?? 0;
const nameOf = ({ metadata }: Pod): string => metadata?.name ?? "";

/** Its kubelet is gone for good: an administrator has tainted its Node as out of service. */
function isOutOfService({ metadata, spec }: Pod, { nodes }: ObservedPods): boolean {
  const node = nodes.get(spec?.nodeName ?? "");
  if (metadata?.deletionTimestamp === undefined || node === undefined) return false;
  const isReady = node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  return !isReady && (node.spec?.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") ?? false);
}

const isStranded = ({ metadata, spec }: Pod): boolean => metadata?.deletionTimestamp !== undefined && (spec?.nodeName ?? "") === "";
