/** What happens in the cluster that may make a Pod schedulable. */
import type { KubeObject } from "@coxswain/machinery";
import type { PodInfo } from "./pod-info.ts";

/**
 * A ClusterEvent names changes of the cluster that may make a Pod schedulable; plugins register those that concern them.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#queueinghint
 */
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

/** An ActionType is what happened to the resource of a ClusterEvent; `update` stands for every update. */
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

/**
 * A QueueingHintFn returns whether a change may make a Pod schedulable that the plugin has rejected: true is kube-
 * scheduler's `Queue`, false its `QueueSkip`.
 */
export type QueueingHintFn = (pod: PodInfo, before: KubeObject | undefined, after: KubeObject | undefined) => boolean;
