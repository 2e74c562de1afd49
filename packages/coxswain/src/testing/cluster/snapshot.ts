/** The whole state of a cluster at one moment. */
import type { StoreSnapshot } from "@coxswain/store";
import type { SeededRandom } from "../chance-and-time/random.ts";

declare const opaque: unique symbol;

/** Any number of clusters can begin from one; it never changes, and holds nothing open. */
export interface ClusterSnapshot {
  readonly [opaque]: true;
}

/** @see ClusterSnapshot, which is this to those who need not know */
export interface SnapshotParts {
  readonly store: StoreSnapshot;
  /** By the cluster's clock; milliseconds since the epoch. */
  readonly now: number;
  /** Where the server's dice were. */
  readonly random: SeededRandom;
  /** Undefined: the default one. */
  readonly serviceClusterIpRange: readonly string[] | undefined;
  /** Tokens of service accounts stay good. */
  readonly serviceAccountKey: string;
  /** Of the clock, when it was a virtual one. */
  readonly virtual: { readonly autoAdvance: boolean } | undefined;
}

const partsOf = new WeakMap<ClusterSnapshot, SnapshotParts>();

export function createSnapshot(parts: SnapshotParts): ClusterSnapshot {
  const snapshot = Object.freeze({}) as ClusterSnapshot;
  partsOf.set(snapshot, parts);
  return snapshot;
}

export function partsOfSnapshot(snapshot: ClusterSnapshot): SnapshotParts {
  const parts = partsOf.get(snapshot);
  if (parts === undefined) throw new TypeError("this is no snapshot of a cluster");
  return parts;
}
