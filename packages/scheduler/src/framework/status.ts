/** Why a Pod cannot run on a Node, in Kubernetes' words. Undefined in its place means that nothing speaks against it. */

/**
 * - `Unschedulable`: not now; room made by preemption may help
 * - `UnschedulableAndUnresolvable`: not even then
 * - `Pending`: the Pod waits for something of its own, such as a claim
 * - `Error`: the plugin failed, and the attempt with it
 */
export type StatusCode = "Unschedulable" | "UnschedulableAndUnresolvable" | "Pending" | "Error";

export interface Status {
  readonly code: StatusCode;
  /** Each is one line of "0/3 nodes are available: …"; nodes with equal lines are counted together. */
  readonly reasons: readonly string[];
  /** The plugin that said it; the framework fills it in. */
  readonly plugin?: string;
}

/** Plugins keep those that depend on nothing as constants: a status per node and attempt is on the hot path. */
export const unschedulable = (...reasons: string[]): Status => ({ code: "Unschedulable", reasons });
export const unschedulableAndUnresolvable = (...reasons: string[]): Status => ({ code: "UnschedulableAndUnresolvable", reasons });
export const pending = (...reasons: string[]): Status => ({ code: "Pending", reasons });
export const errorStatus = (reason: string): Status => ({ code: "Error", reasons: [reason] });
