/** What is said of invariants: which writes have broken one, and what led to them. */
import type { ObjectVersion, PastState } from "./object-history.ts";

/** An object by its names. */
export interface ObjectName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** What a writer was seen to read before it wrote. */
export interface ObservedRead {
  readonly verb: "get" | "list" | "watch";
  readonly resource: string;
  readonly namespace?: string;
  /** Of one object. */
  readonly name?: string;
  /** It saw no later state than this. A watch goes on, and what it has brought since then is not known. */
  readonly resourceVersion: string;
}

/**
 * Why a write is part of a chain: it broke the invariant; it made what its writer had read; it came after what the writer had read, who did not
 * know of it; it made another object that breaks the invariant together with this one; it changed the owner of the object; or it came before.
 */
export type ChainReason = "violates" | "read" | "unseen" | "involved" | "owner" | "before";

/** One write of a chain. */
export interface ChainStep extends ObjectVersion {
  readonly reason: ChainReason;
  readonly object: ObjectName;
  /** What its writer had read before, where that was seen. */
  readonly reads?: readonly ObservedRead[];
}

/** An invariant that did not hold. */
export interface InvariantViolationReport {
  readonly invariant: string;
  /** What was wrong. */
  readonly message: string;
  /** What the first violating write wrote. Undefined where it did not hold when checking began. */
  readonly object?: ObjectName;
  /** The first version at which it did not hold. */
  readonly first: PastState;
  /** It did not hold already when checking began: that version may be an earlier one. */
  readonly orEarlier?: true;
  /** Whether it still does not. */
  readonly isViolated: boolean;
  /** The version since which it holds again. */
  readonly resolved?: PastState;
  /** How often it came to be violated. */
  readonly count: number;
  /** The writes that led to it, newest last: that is the violating one. */
  readonly chain: readonly ChainStep[];
}

/** An invariant, and which versions it was checked on. */
export interface CheckedInvariant {
  readonly name: string;
  /** It was checked on every version since this one. */
  readonly from: PastState;
  /** Versions that nobody knows any more, and on which it was not checked. */
  readonly gaps?: readonly { readonly after: string; readonly until: string }[];
  /** Evaluations that failed: of these versions it is not known whether it held. The first, with its message for who may get its object. */
  readonly failures?: { readonly count: number; readonly resourceVersion: string; readonly message?: string };
  /** Violations of other objects that are not listed, because there are too many. */
  readonly more?: number;
}

/** What `/coxswain/v1/invariants` answers: of violations those of objects that who asks may get. */
export interface InvariantReport {
  readonly kind: "InvariantReport";
  readonly apiVersion: "coxswain/v1";
  /** `resourceVersion`: up to which everything is checked. */
  readonly metadata: { readonly resourceVersion: string };
  readonly invariants: readonly CheckedInvariant[];
  readonly violations: readonly InvariantViolationReport[];
}
