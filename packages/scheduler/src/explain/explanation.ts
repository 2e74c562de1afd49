/** Why a Pod is where it is, or nowhere: what `scheduler.explain` returns, as JSON. */

/** A PodExplanation says why a Pod is where it is, or on no node: what `scheduler.explain` returns, as JSON. */
export interface PodExplanation {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Where the Pod is now: in which queue, waiting for what. Undefined once it is placed. */
  readonly waiting: WaitingExplanation | undefined;
  /** The last ones, the newest first. */
  readonly attempts: readonly AttemptExplanation[];
}

/** A WaitingExplanation says in which queue a Pod is, since when, and which plugins rejected it. */
export interface WaitingExplanation {
  readonly queue: "active" | "backoff" | "unschedulable" | "gated" | "inFlight";
  readonly since: string;
  readonly attempts: number;
  /** Plugins without whose consent it is not tried again before long. */
  readonly refusedBy: readonly string[];
  readonly backoffUntil?: string;
}

/** An AttemptExplanation says how one scheduling cycle of a Pod ended. */
export interface AttemptExplanation {
  readonly at: string;
  readonly schedulerName: string;
  /** `placed`: a node was chosen, and binding began. */
  readonly result: "placed" | "unschedulable" | "error";
  readonly node?: string;
  /** As the Pod's condition has it. */
  readonly message?: string;
  /** Where preemption makes room. */
  readonly nominatedNode?: string;
  readonly nodes: { readonly total: number; readonly asked: number; readonly fit: number };
  /** Nodes that said no, those with the same words together. */
  readonly refusals: readonly RefusalExplanation[];
  /** The best ones, the best first. Empty when there was nothing to choose from. */
  readonly scores: readonly NodeScoreExplanation[];
}

/** A RefusalExplanation counts the nodes that one plugin rejected for the same reasons. */
export interface RefusalExplanation {
  /** Empty: the framework, or an extender. */
  readonly plugin: string;
  readonly reasons: readonly string[];
  /** Whether room made by preemption could change it. */
  readonly preemptionMayHelp: boolean;
  readonly count: number;
  /** Some of them. */
  readonly nodes: readonly string[];
}

/** A NodeScoreExplanation has the total score of a node, and those of each plugin. */
export interface NodeScoreExplanation {
  readonly node: string;
  readonly total: number;
  /** The total is the sum of each score times its weight. */
  readonly plugins: readonly { readonly name: string; readonly score: number; readonly weight: number }[];
}
