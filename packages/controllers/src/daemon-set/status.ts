/** What the status says of Nodes and Pods. */
import type { appsV1 } from "@coxswain/api";
import { isPodReady } from "../shared/pods/pod-state.ts";
import { isAvailableIn, isUpdatedIn, nameOf, type ObservedDaemons } from "./observe.ts";

type Status = appsV1.DaemonSetStatus;

/** Undefined when nothing in it would change. */
export function nextStatus(observed: ObservedDaemons): Status | undefined {
  const { status, metadata } = observed.daemonSet;
  const counts = countNodes(observed);
  const isSame = Object.entries(counts).every(([name, count]) => count === (status?.[name as keyof typeof counts] ?? 0));
  const { generation } = metadata ?? {};
  if (isSame && (status?.observedGeneration ?? 0) >= (generation ?? 0)) return undefined;
  return { ...status, ...counts, ...(generation === undefined ? {} : { observedGeneration: generation }) };
}

/** Of several Pods on a Node the oldest that is scheduled stands for all. */
function countNodes(observed: ObservedDaemons) {
  const counts = {
    desiredNumberScheduled: 0,
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
    updatedNumberScheduled: 0,
    numberAvailable: 0,
    numberUnavailable: 0,
  };
  for (const node of observed.nodes) {
    const [pod] = observed.podsByNode.get(nameOf(node)) ?? [];
    const { runs } = observed.placement(node);
    if (runs) counts.desiredNumberScheduled++;
    if (pod === undefined) continue;
    if (!runs) {
      counts.numberMisscheduled++;
      continue;
    }
    counts.currentNumberScheduled++;
    if (isPodReady(pod)) counts.numberReady++;
    if (isAvailableIn(observed, pod)) counts.numberAvailable++;
    if (isUpdatedIn(observed, pod)) counts.updatedNumberScheduled++;
  }
  counts.numberUnavailable = counts.desiredNumberScheduled - counts.numberAvailable;
  return counts;
}
