import type { ObservedReads } from "../../contracts/invariant.ts";
import type { Stage } from "../stage.ts";

export interface ObserveReadsOptions {
  readonly reads: ObservedReads;
  /** The store's newest. */
  readonly revision: () => number;
}

/** Remembers what was read once the answer is made: no later state can be in it. */
export const observeReads = ({ reads, revision }: ObserveReadsOptions): Stage => ({
  name: "observe reads",
  finish(exchange, reply) {
    if (reads.isOn && reply.status === 200) reads.log.add(exchange, revision());
    return reply;
  },
});
