/** The state of one evaluation. */
import type { CelRun } from "../environment/library.ts";
import { CelCostError, CelError, type CelValue } from "../values/value.ts";

export class Frame implements CelRun {
  /** The values of variables; of an accumulator, also the error that it came to. */
  readonly slots: (CelValue | CelError | undefined)[];
  readonly now: number;
  readonly limit: number;
  cost = 0;

  constructor(slots: (CelValue | CelError | undefined)[], limit: number, now: number) {
    this.slots = slots;
    this.limit = limit;
    this.now = now;
  }

  /** @throws CelCostError */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CelCostError("operation cancelled: actual cost limit exceeded");
  }
}

export type Eval = (frame: Frame) => CelValue;

/** A node as it will run. */
export interface Plan {
  /** Without what the variable or value at the start of `a.b[c]` costs: within `?:` and `[…]` that is free. */
  readonly bare: Eval;
  /** What `run` costs more than `bare`. */
  readonly base: 0 | 1;
  /** Whether selections from it add to the same attribute: `a`, `a.b`, `a[b]` and `c ? a : b`. */
  readonly attribute: boolean;
  /** Known already, and free. */
  readonly constant?: CelValue;
}

export function run(plan: Plan): Eval {
  const { bare, base } = plan;
  if (base === 0) return bare;
  return (frame) => {
    const value = bare(frame);
    frame.charge(base);
    return value;
  };
}

export const constantPlan = (value: CelValue): Plan => ({ bare: () => value, base: 0, attribute: false, constant: value });
export const callPlan = (bare: Eval): Plan => ({ bare, base: 0, attribute: false });

/** An error is kept: `||` and `&&` of later steps may make it good, and else the result is this error. */
export function assign(frame: Frame, slot: number, step: Eval): void {
  try {
    frame.slots[slot] = step(frame);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    frame.slots[slot] = error;
  }
}
