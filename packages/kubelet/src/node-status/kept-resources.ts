/** Resources of a node that others wrote: device plug-ins, or an administrator who advertises an extended resource. */
import { type coreV1, isExtendedResource } from "@coxswain/api";

type NodeStatus = coreV1.NodeStatus;

/**
 * What the kubelet knows of counts; every other capacity stays, and all of it can be allocated.
 * @see https://kubernetes.io/docs/tasks/administer-cluster/extended-resource-node/
 */
export function keepResources(own: NodeStatus, before: Readonly<NodeStatus> | undefined): NodeStatus {
  const capacity = { ...before?.capacity, ...own.capacity };
  const left = Object.entries(before?.allocatable ?? {}).filter(([name]) => !isExtendedResource(name) || name in capacity);
  return { ...own, capacity, allocatable: { ...Object.fromEntries(left), ...capacity, ...own.allocatable } };
}
