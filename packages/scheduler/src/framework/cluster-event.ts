/** What happens in the cluster that may make a Pod schedulable. */
import type { KubeObject } from "@coxswain/machinery";
import type { PodInfo } from "./pod-info.ts";

export interface ClusterEvent {
  /** `AssignedPod`: one that has a node; `UnscheduledPod`: the waiting Pod itself. */
  readonly resource:
    | "AssignedPod"
    | "UnscheduledPod"
    | "Node"
    | "PersistentVolume"
    | "PersistentVolumeClaim"
    | "StorageClass"
    | "CSINode"
    | "CSIDriver"
    | "CSIStorageCapacity"
    | "VolumeAttachment"
    | "Namespace";
  readonly actions: readonly ActionType[];
}

export type ActionType =
  | "add"
  | "delete"
  | "update"
  | "updateLabels"
  | "updateAnnotations"
  | "updateTaints"
  | "updateAllocatable"
  | "updateConditions"
  | "updateRequests"
  | "updateTolerations"
  | "updateGates";

/** Whether this change may help a Pod that the plugin has refused. */
export type QueueingHintFn = (pod: PodInfo, before: KubeObject | undefined, after: KubeObject | undefined) => boolean;
