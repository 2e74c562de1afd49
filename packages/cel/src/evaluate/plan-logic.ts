/** Operators that do not evaluate all of their operands, or that live on when one fails. */
import type { Expr } from "../syntax/ast.ts";
import { noSuchOverload } from "../values/typed.ts";
import { CelError, CelOptional, type CelValue } from "../values/value.ts";
import { callPlan, type Eval, type Frame, type Plan } from "./frame.ts";
import { attributePlan } from "./plan-attribute.ts";
import type { PlanContext } from "./plan-context.ts";

/**
 * `&&` (decided by false) and `||` (by true): whichever side decides, an error of the other one does not matter.
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#logical-operators
 */
export function planLogic(planner: PlanContext, decisive: boolean, operands: readonly Expr[]): Plan {
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
    if (problem) return rescue(frame, right, decisive, problem);
    const value = right(frame);
    if (typeof value !== "boolean") throw noSuchOverload();
    return value;
  });
}

/** The left side has failed: the right one decides, or the failure stands whatever becomes of the right. */
function rescue(frame: Frame, right: Eval, decisive: boolean, problem: CelError): CelValue {
  try {
    if (right(frame) === decisive) return decisive;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
  }
  throw problem;
}

export function planTernary(planner: PlanContext, [condition, yes, no]: readonly Expr[]): Plan {
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
    if (!(value instanceof CelOptional)) return value;
    if (value.value === undefined) return other(frame);
    return unwrap ? value.value : value;
  });
