/** Why a Pod cannot run on a Node, in Kubernetes' words. Undefined in its place means that nothing speaks against it. */

/**
 * - `unschedulable`: not now; room made by preemption may help
 * - `unresolvable`: not even then
 * - `pending`: the Pod waits for something of its own, such as a claim
 * - `error`: the plugin failed, and the attempt with it
 */
export type VerdictKind = "unschedulable" | "unresolvable" | "pending" | "error";

export interface Verdict {
  readonly kind: VerdictKind;
  /** Each is one line of "0/3 nodes are available: …"; nodes with equal lines are counted together. */
  readonly reasons: readonly string[];
  /** The plugin that said it; the framework fills it in. */
  readonly plugin?: string;
}

/** Plugins keep those that depend on nothing as constants: a verdict per node and attempt is on the hot path. */
export const unschedulable = (...reasons: string[]): Verdict => ({ kind: "unschedulable", reasons });
export const unresolvable = (...reasons: string[]): Verdict => ({ kind: "unresolvable", reasons });
export const pending = (...reasons: string[]): Verdict => ({ kind: "pending", reasons });
export const failed = (reason: string): Verdict => ({ kind: "error", reasons: [reason] });
