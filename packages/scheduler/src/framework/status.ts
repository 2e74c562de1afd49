/** Why a Pod cannot run on a Node, in Kubernetes' words. Undefined in its place means that nothing speaks against it. */

/**
 * - `Unschedulable`: not now; room made by preemption may help
 * - `UnschedulableAndUnresolvable`: not even then
 * - `Pending`: the Pod waits for something of its own, such as a claim
 * - `Error`: the plugin failed, and the attempt with it
 */
export type StatusCode = "Unschedulable" | "UnschedulableAndUnresolvable" | "Pending" | "Error";

/**
 * A Status says why a plugin rejects a Pod or a node, or how it failed; undefined in its place is Success.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/
 */
export interface Status {
  readonly code: StatusCode;
  /** Each is one line of "0/3 nodes are available: …"; nodes with equal lines are counted together. */
  readonly reasons: readonly string[];
  /** The plugin that said it; the framework fills it in. */
  readonly plugin?: string;
}

/**
 * Makes the Status of a node that the Pod does not fit now; preemption may help. Make it once where it depends on nothing:
 * it is returned for every node.
 */
export const unschedulable = (...reasons: string[]): Status => ({ code: "Unschedulable", reasons });
/** Makes the Status of a node that the Pod would not fit after preemption either. */
export const unschedulableAndUnresolvable = (...reasons: string[]): Status => ({ code: "UnschedulableAndUnresolvable", reasons });
/** Makes the Status of a Pod that waits for something of its own, such as a claim. */
export const pending = (...reasons: string[]): Status => ({ code: "Pending", reasons });
/** Makes the Status of a plugin that failed: the scheduling cycle ends with it. */
export const errorStatus = (reason: string): Status => ({ code: "Error", reasons: [reason] });
