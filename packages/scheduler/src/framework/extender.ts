/**
 * A program beside the scheduler that has a say: it is asked after the plugins, over HTTP or in this process.
 * @see https://github.com/kubernetes/design-proposals-archive/blob/main/scheduling/scheduler_extender.md
 */
import type { NodeInfo, Snapshot } from "./node-info.ts";
import type { Pod, PodInfo } from "./pod-info.ts";

/**
 * An Extender takes part in filtering, scoring, binding and preemption after the plugins, over HTTP or in this process.
 * @see https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/#kubescheduler-config-k8s-io-v1-Extender
 */
export interface Extender {
  /** Its address, in messages. */
  readonly name: string;
  /** Its failures do not matter: scheduling goes on without it. */
  readonly ignorable: boolean;
  /** What its scores, 0 to 10 each, are multiplied with; so scaled, 100 is the most a plugin of weight 1 gives: times 10. */
  readonly weight: number;
  readonly does: { readonly filter: boolean; readonly prioritize: boolean; readonly bind: boolean; readonly preempt: boolean };
  /** Extenders that manage resources see only Pods that ask for them. */
  isInterested(pod: PodInfo): boolean;
  /** Throws what it failed with. */
  filter(pod: PodInfo, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ExtenderFilterResult>;
  /** By name of node, 0 to 10; nodes that it does not name have 0. */
  prioritize(pod: PodInfo, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  bind(pod: PodInfo, node: string, signal: AbortSignal): Promise<void>;
  /** The candidates that it leaves, maybe with other victims. */
  preempt(pod: PodInfo, candidates: ReadonlyMap<string, Victims>, snapshot: Snapshot, signal: AbortSignal): Promise<Map<string, Victims>>;
}

/** An ExtenderFilterResult has the nodes that an extender leaves, and why it filtered out the others. */
export interface ExtenderFilterResult {
  /** Those that stay, in its order. */
  readonly nodes: readonly NodeInfo[];
  /** Why not the others, by name of node. */
  readonly failed: ReadonlyMap<string, string>;
  /** The same, where preemption would not help; these win. */
  readonly unresolvable: ReadonlyMap<string, string>;
}

/** Victims are the Pods of one node that preemption would evict. */
export interface Victims {
  /** The most important first. */
  readonly pods: readonly Pod[];
  /** How many of them a PodDisruptionBudget would protect. */
  readonly violations: number;
}
