/** What has happened in the cluster, as narrowly as can be said: of that depends which Pods are tried again. */
import { podRequests } from "@coxswain/api";
import { deepEqual, type KubeObject } from "@coxswain/machinery";
import type { ActionType, ClusterEvent } from "../framework/cluster-event.ts";
import type { Node } from "../framework/node-info.ts";
import type { Pod } from "../framework/pod-info.ts";

export interface ClusterChange {
  readonly resource: ClusterEvent["resource"];
  /** `update`: nothing that has a name of its own has changed. */
  readonly action: ActionType;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** Who wants to know of every `update` wants to know of label changes; who wants label changes wants no others. */
export const isOf = ({ resource, action }: ClusterChange, event: ClusterEvent): boolean =>
  event.resource === resource && (event.actions.includes(action) || (action.startsWith("update") && event.actions.includes("update")));

export function podActions(before: Pod, after: Pod): readonly ActionType[] {
  const actions: ActionType[] = [];
  if (!deepEqual(before.metadata?.labels ?? {}, after.metadata?.labels ?? {})) actions.push("updateLabels");
  if (asksForLess(before, after)) actions.push("updateRequests");
  if ((before.spec?.schedulingGates?.length ?? 0) > 0 && (after.spec?.schedulingGates?.length ?? 0) === 0) actions.push("updateGates");
  if (before.spec?.tolerations?.length !== after.spec?.tolerations?.length) actions.push("updateTolerations");
  return actions.length === 0 ? ["update"] : actions;
}

function asksForLess(before: Pod, after: Pod): boolean {
  const now = podRequests(after);
  for (const [name, amount] of podRequests(before)) if ((now.get(name)?.compare(amount) ?? -1) < 0) return true;
  return false;
}

/** None: nothing has changed that could make a Pod schedulable, as with every heartbeat. */
export function nodeActions(before: Node, after: Node): readonly ActionType[] {
  const actions: ActionType[] = [];
  if (!deepEqual(before.status?.allocatable ?? {}, after.status?.allocatable ?? {})) actions.push("updateAllocatable");
  if (!deepEqual(before.metadata?.labels ?? {}, after.metadata?.labels ?? {})) actions.push("updateLabels");
  const uncordoned = before.spec?.unschedulable === true && after.spec?.unschedulable !== true;
  if (uncordoned || !deepEqual(before.spec?.taints ?? [], after.spec?.taints ?? [])) actions.push("updateTaints");
  if (!deepEqual(conditionsOf(before), conditionsOf(after))) actions.push("updateConditions");
  if (!deepEqual(before.metadata?.annotations ?? {}, after.metadata?.annotations ?? {})) actions.push("updateAnnotations");
  return actions;
}

const conditionsOf = ({ status }: Node): Readonly<Record<string, string>> =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, status }) => [type, status]));

/** As Kubernetes' metrics call it. */
export function labelOf({ resource, action }: Pick<ClusterChange, "resource" | "action">): string {
  if (resource === "UnscheduledPod") return `UnschedulablePod${actionLabels[action]}`;
  return resource + (action === "updateLabels" && resource === "Node" ? "UpdateNodeLabel" : actionLabels[action]);
}

const actionLabels: Readonly<Record<ActionType, string>> = {
  add: "Add",
  delete: "Delete",
  update: "Update",
  updateLabels: "UpdatePodLabel",
  updateAnnotations: "UpdateNodeAnnotation",
  updateTaints: "UpdateNodeTaint",
  updateAllocatable: "UpdateNodeAllocatable",
  updateConditions: "UpdateNodeCondition",
  updateRequests: "UpdatePodScaleDown",
  updateTolerations: "UpdatePodToleration",
  updateGates: "UpdatePodSchedulingGatesEliminated",
};
