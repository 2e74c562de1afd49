/** The Pods of a node together with what the runtime has of them. */
import type { ContainerStatus, SandboxStatus } from "../runtime/runtime-status.ts";
import type { Pod } from "./pod.ts";

/** A Pod of this node with what the runtime has of it. */
export interface LocalPod {
  readonly pod: Pod;
  readonly sandbox: SandboxStatus | undefined;
  /** Ended ones too, newest attempt first. */
  readonly containers: readonly ContainerStatus[];
}

/** What the kubelet's server needs to know to serve logs, exec and figures. */
export interface LocalPods {
  list(): readonly LocalPod[];
  /** Without a uid the newest Pod of this name. */
  find(namespace: string, name: string, uid?: string): LocalPod | undefined;
}
