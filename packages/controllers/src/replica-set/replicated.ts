/** ReplicaSets and ReplicationControllers: two APIs of one behaviour. What differs between them is here. */
import type { appsV1, coreV1 } from "@coxswain/api";
import { type ResourceRef, replicaSets, replicationControllers } from "@coxswain/client";
import type { KubeObject, LabelSelector } from "@coxswain/machinery";
import { selectorOrNothing } from "../shared/workloads/selector.ts";

/** Beside the selector their fields are the same; a ReplicationController's status has one fewer. */
export interface Replicated extends KubeObject {
  spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: coreV1.PodTemplateSpec;
  };
  status?: appsV1.ReplicaSetStatus;
}

export interface ReplicatedApi<T extends Replicated = Replicated> {
  readonly ref: ResourceRef<T>;
  /** Of the Pods that count. A selector that cannot be read chooses nothing. */
  selectorOf(object: T): LabelSelector;
  /** Whether its status has `terminatingReplicas`. */
  readonly hasTerminatingReplicas: boolean;
}

export const replicaSetApi: ReplicatedApi<appsV1.ReplicaSet> = {
  ref: replicaSets,
  selectorOf: ({ spec }) => selectorOrNothing(spec?.selector),
  hasTerminatingReplicas: true,
};

export const replicationControllerApi: ReplicatedApi<coreV1.ReplicationController> = {
  ref: replicationControllers,
  selectorOf: ({ spec }) => selectorOrNothing({ matchLabels: spec?.selector ?? {} }),
  hasTerminatingReplicas: false,
};
