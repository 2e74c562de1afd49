/**
 * Which of several Pods that do the same goes first: the one whose loss costs least.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#scaling-a-replicaset
 */
import { millisOf } from "@coxswain/machinery";
import { isPodActive, isPodReady, type Pod, readySince } from "./pod-state.ts";

export interface DeletionOrderOptions {
  /** All Pods that do the same work, of other generations too: of those on one node the more crowded go first. */
  readonly related?: readonly Pod[];
  /** Since the epoch. Ages are compared by their order of magnitude, so that not always the youngest Pods go. */
  readonly nowMs: number;
}

/** A new list, first what should be deleted first. */
export function inDeletionOrder(pods: readonly Pod[], { related = [], nowMs }: DeletionOrderOptions): Pod[] {
  const crowds = crowdsByNode(related);
  const ranked = pods.map((pod) => rankOf(pod, crowds));
  return ranked.sort((a, b) => compare(a, b, nowMs)).map(({ pod }) => pod);
}

/** What the comparison asks of a Pod, read once. */
interface Rank {
  readonly pod: Pod;
  readonly uid: string;
  readonly isAssigned: boolean;
  readonly phase: number;
  readonly isReady: boolean;
  readonly cost: number;
  readonly crowd: number;
  readonly readyAt: number | undefined;
  readonly restarts: number;
  readonly sidecarRestarts: number;
  readonly createdAt: number | undefined;
}

const phases: Readonly<Record<string, number>> = { __proto__: null as never, Pending: 0, Unknown: 1, Running: 2 };

const rankOf = (pod: Pod, crowds: ReadonlyMap<string, number>): Rank => ({
  pod,
  uid: pod.metadata?.uid ?? "",
  isAssigned: nodeOf(pod) !== "",
  phase: phases[pod.status?.phase ?? ""] ?? 0,
  isReady: isPodReady(pod),
  cost: deletionCost(pod),
  crowd: crowds.get(nodeOf(pod)) ?? 0,
  readyAt: readySince(pod),
  ...restartsOf(pod),
  createdAt: millisOf(pod.metadata?.creationTimestamp),
});

/** Below zero when `a` goes first. */
function compare(a: Rank, b: Rank, nowMs: number): number {
  return (
    Number(a.isAssigned) - Number(b.isAssigned) ||
    a.phase - b.phase ||
    Number(a.isReady) - Number(b.isReady) ||
    a.cost - b.cost ||
    b.crowd - a.crowd ||
    (a.isReady ? compareSince(a, b, "readyAt", nowMs) : 0) ||
    b.restarts - a.restarts ||
    b.sidecarRestarts - a.sidecarRestarts ||
    compareSince(a, b, "createdAt", nowMs) ||
    byUid(a, b)
  );
}

/** The later first, and before all what has no time. Within one order of magnitude the uid decides, which is as good as chance. */
function compareSince(a: Rank, b: Rank, field: "readyAt" | "createdAt", nowMs: number): number {
  const at = a[field];
  const bt = b[field];
  if (at === bt) return 0;
  if (at === undefined) return -1;
  if (bt === undefined) return 1;
  return magnitude(nowMs - at) - magnitude(nowMs - bt) || byUid(a, b);
}

const byUid = (a: Rank, b: Rank): number => (a.uid < b.uid ? -1 : 1);

/** Powers of two of a nanosecond, as Kubernetes counts. */
const magnitude = (ageMs: number): number => (ageMs > 0 ? Math.floor(Math.log2(ageMs * 1e6)) : -1);

function crowdsByNode(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const crowds = new Map<string, number>();
  for (const pod of pods) if (isPodActive(pod)) crowds.set(nodeOf(pod), (crowds.get(nodeOf(pod)) ?? 0) + 1);
  return crowds;
}

const nodeOf = (pod: Pod): string => pod.spec?.nodeName ?? "";

/** Annotation `controller.kubernetes.io/pod-deletion-cost`; what is no 32-bit integer counts as none. */
function deletionCost(pod: Pod): number {
  const text = pod.metadata?.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? "";
  const cost = /^(0|-[0-9]+|[1-9][0-9]*)$/.test(text) ? Number(text) : 0;
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

function restartsOf({ spec, status }: Pod): { restarts: number; sidecarRestarts: number } {
  const most = (statuses: readonly { readonly restartCount?: number }[]): number =>
    statuses.reduce((max, { restartCount = 0 }) => Math.max(max, restartCount), 0);
  const sidecars = new Set(spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name));
  return {
    restarts: most(status?.containerStatuses ?? []),
    sidecarRestarts: most(status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name)) ?? []),
  };
}
