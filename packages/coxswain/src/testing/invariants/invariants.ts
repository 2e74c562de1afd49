/** Invariants as a test writes them: predicates of a state, or of each version of an object. */
import type { ResourceRef, Target } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";

/** Whether it holds: `true`, or `false`, or a sentence of what is wrong. */
export type Holds = boolean | string;

/** All objects as they were at one resourceVersion. They are frozen. */
export interface ClusterState {
  readonly resourceVersion: string;
  /** Those of all namespaces, or of one. */
  list<T extends KubeObject>(ref: ResourceRef<T>, options?: { readonly namespace?: string }): readonly T[];
  /** Undefined where there is none. A name alone means the cluster's namespace. */
  get<T extends KubeObject>(ref: ResourceRef<T>, target: Target): T | undefined;
}

/** What is to hold of every state. It is asked whenever something that it has looked at has changed. */
export type StatePredicate = (state: ClusterState) => Holds;

/** One version of an object beside the one before it. */
export interface VersionChange<T extends KubeObject> {
  /** Undefined: it was deleted. */
  readonly object: T | undefined;
  /** Undefined: it was created. What is there when watching begins counts as having been the same before. */
  readonly oldObject: T | undefined;
  readonly resourceVersion: string;
}

/** What is to hold of each version of each object of a resource. */
export interface VersionInvariant {
  readonly ref: ResourceRef;
  readonly holds: (change: VersionChange<KubeObject>) => Holds;
}

/** By what they say: the names are sentences. */
export type Invariants = Readonly<Record<string, StatePredicate | VersionInvariant>>;

/** An invariant of each version of each object: `eachVersion(seats, ({ object, oldObject }) => …)`. */
export const eachVersion = <T extends KubeObject>(ref: ResourceRef<T>, holds: (change: VersionChange<T>) => Holds): VersionInvariant => ({
  ref,
  // What is handed to it are objects of this resource.
  holds: holds as VersionInvariant["holds"],
});
