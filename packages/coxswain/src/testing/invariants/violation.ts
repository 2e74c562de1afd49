import type { Violation } from "@coxswain/apiserver";
import type { ChainStep } from "@coxswain/machinery";
import { chainText } from "../../past/chain-text.ts";

/** An invariant did not hold. The message has the writes that led to it. */
export class InvariantViolation extends Error {
  /** Its name. */
  readonly invariant: string;
  /** The first resourceVersion at which it did not hold. */
  readonly revision: number;
  /** The key of what was written then, such as `/registry/pods/default/web`; empty where it did not hold when watching began. */
  readonly key: string;
  /** The writes that led to it, newest last: that is the one which broke it. */
  readonly chain: readonly ChainStep[];
  constructor({ invariant, revision, key, chain = [], problem, orEarlier }: Violation) {
    const when = orEarlier ? `when watching began, at resourceVersion ${revision}` : `first at resourceVersion ${revision}`;
    const story = chain.length === 0 ? "" : `\nThe writes that led to it:\n${chainText(chain, { indent: "  " })}`;
    super(`the invariant ${JSON.stringify(invariant)} did not hold, ${when}: ${problem}${story}`);
    this.name = "InvariantViolation";
    this.invariant = invariant;
    this.revision = revision;
    this.key = key;
    this.chain = chain;
  }
}
