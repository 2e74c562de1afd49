/** What was found: of each thing that an invariant is about, when it first did not hold, and whether it does by now. */
import type { ChainStep, ObjectName } from "@coxswain/machinery";
import type { WriteNote } from "@coxswain/store";
import type { RelatedObjects } from "../contracts/invariant.ts";

/** An invariant that did not hold of something. */
export interface Violation {
  readonly invariant: string;
  /** As of a finding. */
  readonly subject: string;
  readonly problem: string;
  /** What the violating write wrote; undefined where it did not hold when checking began, and it is not known of what. */
  readonly object: ObjectName | undefined;
  /** The key of that; empty where there is none. */
  readonly key: string;
  readonly revision: number;
  /** Of the object, where it is there. */
  readonly uid: string | undefined;
  /** Milliseconds since the epoch; undefined where that is not known. */
  readonly at: number | undefined;
  readonly note: WriteNote | undefined;
  /** It did not hold already when checking began. */
  readonly orEarlier: boolean;
  /** Undefined: it was found before a restart, and is made again when somebody asks. */
  readonly chain: readonly ChainStep[] | undefined;
  /** As of a finding. */
  readonly related: readonly RelatedObjects[];
  /** Which objects break it together with the one that was written; undefined where that is not known. */
  readonly involved: readonly ObjectName[] | undefined;
}

/** A violation with what has become of it. */
export interface KeptViolation {
  readonly violation: Violation;
  /** Whether it still does not hold. */
  isViolated: boolean;
  resolvedAt: { readonly revision: number; readonly at: number } | undefined;
  count: number;
}

/** Evaluations of one invariant that failed: the first, and how many. */
export interface InvariantFailure {
  readonly object: ObjectName | undefined;
  readonly count: number;
  readonly revision: number;
  readonly message: string;
}

/** Changes that nobody knows any more, and that were not checked. */
export interface InvariantGap {
  readonly after: number;
  readonly until: number;
}

/** So many things are remembered of one invariant. */
const maxPerInvariant = 256;

export class Violations {
  readonly #kept = new Map<string, Map<string, KeptViolation>>();
  readonly #more = new Map<string, number>();

  /** Oldest first. */
  *list(): Generator<KeptViolation, void, undefined> {
    for (const ofOne of this.#kept.values()) yield* ofOne.values();
  }

  /** Of an invariant: how many there were that are not remembered. */
  more(invariant: string): number {
    return this.#more.get(invariant) ?? 0;
  }

  /** It holds. */
  resolve(invariant: string, subject: string, revision: number, at: number): void {
    const kept = this.#kept.get(invariant)?.get(subject);
    if (kept?.isViolated !== true) return;
    kept.isViolated = false;
    kept.resolvedAt = { revision, at };
  }

  /** It does not hold, again: whether that was known before. */
  isKnown(invariant: string, subject: string): boolean {
    const kept = this.#kept.get(invariant)?.get(subject);
    if (kept === undefined) return false;
    if (!kept.isViolated) kept.count++;
    kept.isViolated = true;
    kept.resolvedAt = undefined;
    return true;
  }

  /** Whether there is room for one more; it is counted where there is none. */
  hasRoom(invariant: string): boolean {
    if ((this.#kept.get(invariant)?.size ?? 0) < maxPerInvariant) return true;
    this.#more.set(invariant, this.more(invariant) + 1);
    return false;
  }

  add(violation: Violation): void {
    this.restore({ violation, isViolated: true, resolvedAt: undefined, count: 1 });
  }

  /** One that was found before. */
  restore(kept: KeptViolation): void {
    const { invariant, subject } = kept.violation;
    const ofOne = this.#kept.get(invariant) ?? new Map<string, KeptViolation>();
    this.#kept.set(invariant, ofOne);
    ofOne.set(subject, { ...kept });
  }
}
