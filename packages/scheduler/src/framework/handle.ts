/** What the scheduler offers its plugins: kube-scheduler's `framework.Handle`, and its `framework.WaitingPod`. */
import type { Client, EventRecorder, InformerSet } from "@coxswain/client";
import type { CycleState } from "./cycle-state.ts";
import type { Extender } from "./extender.ts";
import type { NodeInfo, Snapshot } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Status } from "./status.ts";

/** A Handle is what a plugin may use besides its arguments; it is made once for each profile. */
export interface Handle extends PluginServices, WaitingPods, FilterSimulation {
  /** The snapshot of the scheduling cycle in progress. */
  snapshot(): Snapshot;
  /** Pods that preemption has nominated to a node and that are not bound to it yet. */
  nominatedPods(node: string): readonly PodInfo[];
  /** Moves a Pod to the activeQ, whatever it waits for. */
  activate(pod: PodInfo): void;
  /** Runs work beside the scheduling cycles. It must not throw; the scheduler ends once it has. */
  background(work: (signal: AbortSignal) => Promise<void>): void;
}

/** PluginServices are the clients and recorders that a plugin shares with its scheduler. */
export interface PluginServices {
  readonly client: Client;
  readonly informers: InformerSet;
  readonly events: EventRecorder;
  readonly extenders: readonly Extender[];
}

/** WaitingPods finds Pods whose binding cycle has begun and has not reached Bind. */
export interface WaitingPods {
  /** The Pod if it waits at Permit or is in PreBind; undefined otherwise. */
  getWaitingPod(uid: string): WaitingPod | undefined;
  /** All Pods that wait at Permit. */
  waitingPods(): readonly WaitingPod[];
}

/**
 * A WaitingPod has been assumed on a node and waits at Permit, or is in PreBind.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#permit
 */
export interface WaitingPod {
  readonly pod: PodInfo;
  readonly node: string;
  /** Names of the Permit plugins that have not allowed the Pod yet; empty in PreBind. */
  pendingPlugins(): readonly string[];
  /** Allows the Pod on behalf of a plugin; with the last one the Pod leaves Permit. In PreBind it does nothing. */
  allow(plugin: string): void;
  /** Ends the binding cycle: the Pod goes back into the queue. The plugin, unless empty, counts among those that found the Pod unschedulable. */
  reject(plugin: string, reason: string): void;
}

/** FilterSimulation runs the Filter plugins of the profile on nodes as they might be: preemption tries nodes without their victims. */
export interface FilterSimulation {
  /** Runs the Filter plugins, with nominated Pods of at least the same priority counted on the node. */
  runFilters(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** Updates the state that PreFilter wrote for a Pod that is added to the node. */
  addPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined;
  /** Updates the state that PreFilter wrote for a Pod that is removed from the node. */
  removePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined;
}
