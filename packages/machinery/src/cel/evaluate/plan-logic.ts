/** Operators that do not evaluate all of their operands, or that live on when one fails. */
import type { Expr } from "../ast.ts";
import { CelError, CelOptional, type CelValue } from "../value.ts";
import { callPlan, type Eval, noSuchOverload, type Plan } from "./frame.ts";
import { attributePlan } from "./plan-attribute.ts";
import type { Planner } from "./planner.ts";

/**
 * `&&` (decided by false) and `||` (by true): whichever side decides, an error of the other one does not matter.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#logical-operators
 */
export function planLogic(planner: Planner, decisive: boolean, operands: readonly Expr[]): Plan {
  const [left, right] = operands.map((operand) => planner.run(operand));
  if (!left || !right) throw new RangeError("a logical operator without its operands");
  const held = planner.failureOf(operands[0]);
  return callPlan((frame) => {
    let problem = held(frame);
    if (!problem) {
      try {
        const value = left(frame);
        if (value === decisive) return decisive;
        if (value !== !decisive) problem = noSuchOverload();
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        problem = error;
      }
    }
    const value = right(frame);
    if (value === decisive) return decisive;
    if (problem) throw problem;
    if (value !== !decisive) throw noSuchOverload();
    return value;
  });
}

export function planTernary(planner: Planner, [condition, yes, no]: readonly Expr[]): Plan {
  if (!condition || !yes || !no) throw new RangeError("a ternary without its operands");
  const test = planner.run(condition);
  const [whenTrue, whenFalse] = [planner.plan(yes).bare, planner.plan(no).bare];
  return attributePlan((frame) => {
    const value = test(frame);
    if (value === true) return whenTrue(frame);
    if (value === false) return whenFalse(frame);
    throw noSuchOverload();
  }, 0);
}

/** True for everything but false, even for an error: whether `all` and `exists` have to look further. */
export const planNotStrictlyFalse = (operand: Eval): Plan =>
  callPlan((frame) => {
    let value: CelValue = true;
    try {
      value = operand(frame);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
    }
    frame.charge(1);
    return value !== false;
  });

/** `optional.or(other)` and `optional.orValue(other)`: the other is evaluated only where there is nothing. */
export const planOr = (optional: Eval, other: Eval, unwrap: boolean): Plan =>
  callPlan((frame) => {
    const value = optional(frame);
    if (!(value instanceof CelOptional)) throw noSuchOverload();
    if (value.value === undefined) return other(frame);
    return unwrap ? value.value : value;
  });
