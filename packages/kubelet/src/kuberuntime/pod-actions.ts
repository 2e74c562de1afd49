/** What is to be done about a Pod: the outcome of `computePodActions`. */
import type { coreV1 } from "@coxswain/api";
import type { Container, Pod } from "../pod/pod.ts";
import type { PodState } from "../pod/pod-state.ts";
import type { ProbeResults } from "../prober/results.ts";
import type { ContainerStatus } from "../runtime/runtime-status.ts";

/** Why a container is killed, where its grace period depends on it. */
export type KillReason = "startupProbe" | "livenessProbe" | "failedPostStartHook" | "restartAllContainers" | "unknown";

export interface ContainerToKill {
  readonly id: string;
  readonly container: Container;
  /** The text of the Killing event. */
  readonly message: string;
  readonly reason: KillReason;
}

export interface ContainerToReset {
  readonly id: string;
  readonly container: Container;
  readonly isRunning: boolean;
}

export interface PodActions {
  /** Everything ends: the containers and the sandboxes. */
  killPod: boolean;
  createSandbox: boolean;
  /** The newest there is, which may be dead. */
  sandboxId: string | undefined;
  /** Of the sandbox in use, or to be made. */
  attempt: number;
  readonly initToStart: Container[];
  readonly toStart: Container[];
  readonly ephemeralToStart: coreV1.EphemeralContainer[];
  readonly toKill: ContainerToKill[];
  /** Removed, so that all can restart in place; those that asked for it last. */
  readonly toReset: ContainerToReset[];
  readonly toResize: ContainerToResize[];
}

export interface ContainerToResize {
  readonly id: string;
  readonly container: Container;
}

/** What becomes of a running container of which other resources are wanted now. */
export type Resizing = "none" | "inPlace" | "restart";

export interface ActionInput {
  readonly pod: Pod;
  readonly state: PodState;
  readonly probes: (containerId: string) => ProbeResults;
  readonly resizing: (container: Container, status: ContainerStatus) => Resizing;
  /** A container has ended in a way for which all restart. */
  readonly isWholeRestarting: boolean;
}
