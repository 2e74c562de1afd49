/** Attributes: a variable or a value, and steps into it that are charged one by one. */
import { type Expr, operators } from "../syntax/ast.ts";
import { select, selectOptional } from "../values/attribute.ts";
import { CelOptional, type CelValue } from "../values/value.ts";
import { type Eval, type Frame, type Plan, run } from "./frame.ts";
import type { PlanContext } from "./plan-context.ts";

export const attributePlan = (bare: Eval, base: 0 | 1 = 1): Plan => ({ bare, base, attribute: true });

/** What a selection starts from: of anything but an attribute, a new one. */
export const asAttribute = (operand: Plan): { readonly bare: Eval; readonly base: 0 | 1 } =>
  operand.attribute ? operand : { bare: run(operand), base: 1 };

/** One step of an attribute; from an optional, an optional one. */
export function selectFrom(frame: Frame, value: CelValue, key: CelValue): CelValue {
  if (value instanceof CelOptional) return selectOptionalFrom(frame, value, key);
  frame.charge(1);
  return select(value, key);
}

/** A step that costs nothing when there is nothing. */
export function selectOptionalFrom(frame: Frame, value: CelValue, key: CelValue): CelOptional {
  const found = selectOptional(value, key);
  if (found.value !== undefined) frame.charge(1);
  return found;
}

/** `a[k]` and `a[?k]`. */
export function planIndex(planner: PlanContext, operand: Expr, key: Expr, name: string): Plan {
  const { bare, base } = asAttribute(planner.plan(operand));
  const { bare: keyOf } = planner.plan(key);
  const step = name === operators.index ? selectFrom : selectOptionalFrom;
  return attributePlan((frame) => {
    const value = bare(frame);
    return step(frame, value, keyOf(frame));
  }, base);
}

/** `a.?b`. */
export function planOptionalSelect(planner: PlanContext, operand: Expr, field: Expr): Plan {
  const { bare, base } = asAttribute(planner.plan(operand));
  const name = field.kind === "literal" && typeof field.value === "string" ? field.value : "";
  return attributePlan((frame) => selectOptionalFrom(frame, bare(frame), name), base);
}
