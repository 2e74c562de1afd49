/** What the statuses of a Pod's containers are made from. */

import type { coreV1 } from "@coxswain/api";
import type { Pod } from "../pod/pod.ts";
import type { PodState } from "../pod/pod-state.ts";

export type ContainerStatus = coreV1.ContainerStatus;

/** Why a container waits: of the last attempt to start it. */
export interface WaitReason {
  readonly reason: string;
  readonly message: string;
}

export interface StatusInput {
  readonly pod: Pod;
  readonly state: PodState;
  /** `containerd`, before the id of each container. */
  readonly runtimeName: string;
  /** What was said before, of these containers. */
  readonly reported: readonly ContainerStatus[];
  readonly waits: (container: string) => WaitReason | undefined;
  readonly isWholeRestarting: boolean;
  readonly supportsRecursiveReadOnly: boolean;
}
