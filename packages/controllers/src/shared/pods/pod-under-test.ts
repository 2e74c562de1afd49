/** Pods as tests need them. */
import { wireTime } from "@coxswain/machinery";
import type { Pod } from "./pod-state.ts";

export interface PodUnderTest {
  readonly name?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  /** Uid of its controller. */
  readonly owner?: string;
  readonly node?: string;
  readonly phase?: string;
  /** Milliseconds since the epoch. */
  readonly readyAt?: number;
  readonly createdAt?: number;
  readonly restarts?: number;
  readonly isGoing?: boolean;
}

export const podUnderTest = (given: PodUnderTest = {}): Pod => ({
  metadata: {
    name: given.name ?? "pod",
    namespace: "default",
    uid: `uid-${given.name ?? "pod"}`,
    labels: given.labels ?? { app: "web" },
    ...(given.annotations === undefined ? {} : { annotations: given.annotations }),
    ...(given.createdAt === undefined ? {} : { creationTimestamp: wireTime(given.createdAt) }),
    ...(given.isGoing === true ? { deletionTimestamp: wireTime(0) } : {}),
    ...(given.owner === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: given.owner, controller: true }] }),
  },
  spec: { containers: [], ...(given.node === undefined ? {} : { nodeName: given.node }) },
  status: {
    phase: given.phase ?? "Running",
    ...(given.readyAt === undefined
      ? {}
      : { conditions: [{ type: "Ready", status: "True", lastTransitionTime: wireTime(given.readyAt) }] }),
    ...(given.restarts === undefined
      ? {}
      : { containerStatuses: [{ name: "c", image: "", imageID: "", ready: true, restartCount: given.restarts }] }),
  },
});
