/** Where the Pods of a node come from. */
import type { Pod } from "../pod/pod.ts";

/** The Pods of one node as the API server has them. */
export interface PodSource {
  /** Resolves with the first complete copy. */
  readonly synced: Promise<void>;
  list(): readonly Pod[];
  get(namespace: string, name: string): Pod | undefined;
  /** Calls `changed` for each Pod that is new or has changed, and for each that is gone (`undefined`). */
  subscribe(changed: (ref: PodRef, pod: Pod | undefined) => void): Disposable;
}

/** A Pod's namespace and name. */
export interface PodRef {
  readonly namespace: string;
  readonly name: string;
}
