/** What the thread that has the store and those with copies of it say to each other. Messages arrive in their order. */
import type { MessagePort } from "node:worker_threads";
import type { Compare, Revision, WriteNote } from "../storage/store.ts";
import type { Failure } from "./failure.ts";

export interface SharedSlab {
  readonly number: number;
  readonly buffer: SharedArrayBuffer;
}

/** Changes, all of which become visible at once. */
export interface ChangesMessage {
  readonly kind: "changes";
  /** Up to where history is no longer kept. */
  readonly compacted: Revision;
  /** Those that were opened since the message before. */
  readonly slabs: readonly SharedSlab[];
  /** The one of those so far in which further values are put. */
  readonly current: number | undefined;
  readonly keys: readonly string[];
  readonly notes: readonly (WriteNote | undefined)[];
  /**
   * For each change: its revision, when it was written, the revision in which the entry was created (-1: it is deleted), where its value is
   * (slab, offset, length), whose write it was (0: none of a copy's) and which of its writes, and 1 for a value that cannot be read.
   */
  readonly numbers: Float64Array;
}

export const numbersPerChange = 9;

/** Values have other places: `numbersPerMove` for each key, the revision of its entry, slab, offset and length. */
export interface MovedMessage {
  readonly kind: "moved";
  readonly slabs: readonly SharedSlab[];
  readonly current: number | undefined;
  readonly keys: readonly string[];
  readonly numbers: Float64Array;
}

export const numbersPerMove = 4;

/** What is counted: who has taken as many as there are has seen all that is visible. */
export type FeedMessage = ChangesMessage | MovedMessage;

export type ToReplica = FeedMessage | { readonly kind: "answers"; readonly answers: readonly Answer[] };

/** A write that takes place is answered by its changes. */
export type Answer =
  | {
      readonly id: number;
      readonly kind: "refused";
      readonly revision: Revision;
      readonly failed: Compare | undefined;
      readonly key: string;
    }
  | { readonly id: number; readonly kind: "failed"; readonly failure: Failure }
  | { readonly id: number; readonly kind: "value"; readonly value: unknown };

export type FromReplica =
  | { readonly kind: "writes"; readonly writes: readonly SentWrite[]; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "call"; readonly id: number; readonly call: ReplicaCall };

/** Where in the bytes that come with it. */
export type Span = readonly [start: number, end: number];

export interface SentReplacement {
  readonly key: string;
  /** Undefined: it is deleted. */
  readonly value: Span | undefined;
  readonly expect: Revision | "absent";
}

export interface SentWrite extends SentReplacement {
  readonly id: number;
  readonly compare: readonly Compare[] | undefined;
  readonly also: readonly SentReplacement[] | undefined;
  readonly ttlSeconds: number | undefined;
  readonly note: WriteNote | undefined;
}

/** What only the thread that has the store can do. */
export interface ReplicaCalls {
  compact(before: Revision): undefined;
  isStale(key: string): boolean;
  /** Makes sure that entries can be read as things are now, and says what those are that could not be read before. */
  readable(prefix: string, opts: ReadableOptions): readonly ReadValue[];
}

export interface ReadableOptions {
  /** The one of this key. */
  readonly isKey: boolean;
  readonly at?: Revision;
  readonly after?: string;
  readonly limit?: number;
}

export interface ReadValue {
  readonly key: string;
  readonly modified: Revision;
  readonly value: Uint8Array<ArrayBuffer>;
}

export type ReplicaCall = {
  [M in keyof ReplicaCalls]: { readonly method: M; readonly args: Parameters<ReplicaCalls[M]> };
}[keyof ReplicaCalls];

/** What a copy of the store begins with, in the thread where it is to be. */
export interface ReplicaStart {
  /** Changes hands. */
  readonly port: MessagePort;
  /** Shared: see `counters`. */
  readonly counters: SharedArrayBuffer;
  readonly replica: number;
  /** Shared: how many messages of the feed the copy has taken, modulo 2³². */
  readonly seen: SharedArrayBuffer;
  /** How many messages of the feed there were before. */
  readonly taken: number;
  /** Whether values are stored otherwise than they are in memory. */
  readonly transforms: boolean;
  /** The oldest state that is kept: its entries, as if each were a change. */
  readonly entries: ChangesMessage;
  readonly changes: ChangesMessage;
}

/** Places in the shared counters. */
export const counters = {
  /** Messages of the feed, modulo 2³². Counted before they are sent, so that whoever learns of a change anywhere finds it counted. */
  announced: 0,
  /** Of these, those that are on their way to all copies. */
  posted: 1,
  /** 1: what is read has to be checked by the thread that has the store. */
  areChecked: 2,
} as const;
