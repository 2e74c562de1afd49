/** Calls of functions: the operators that are more than functions, what can be computed at once, and all others. */

import { sizeOf, traversal } from "../define/call-cost.ts";
import { findFunction } from "../environment/declarations.ts";
import type { CelOverload } from "../environment/library.ts";
import { type Call, type Expr, operators, qualifiedName } from "../syntax/ast.ts";
import type { CelType } from "../types/type.ts";
import { mapKey } from "../values/collections.ts";
import { equalValues } from "../values/equality.ts";
import { type CelError, CelList, type CelValue } from "../values/value.ts";
import { fitsParameter } from "../values/value-type.ts";
import { callPlan, constantPlan, type Eval, Frame, type Plan, run } from "./frame.ts";
import { noSuchOverloadOf } from "./no-such-overload.ts";
import { planIndex, planOptionalSelect } from "./plan-attribute.ts";
import type { PlanContext } from "./plan-context.ts";
import { planLogic, planNotStrictlyFalse, planOr, planTernary } from "./plan-logic.ts";

/** Their cost depends on the overload that the checker has chosen: where it left several, a call costs 1. */
const chargedByOverload: ReadonlySet<string> = new Set<string>([
  ...[operators.add, operators.in, operators.less, operators.lessEquals, operators.greater, operators.greaterEquals],
  ...["bytes", "string"],
]);
/** Of constants they are constants. */
const conversions: ReadonlySet<string> = new Set("bool bytes double duration dyn int string timestamp type uint".split(" "));

export function planCall(planner: PlanContext, call: Call): Plan {
  const [first, second] = call.args;
  switch (call.function) {
    case operators.and:
      return planLogic(planner, false, call.args);
    case operators.or:
      return planLogic(planner, true, call.args);
    case operators.conditional:
      return planTernary(planner, call.args);
    case operators.notStrictlyFalse:
      return planNotStrictlyFalse(planner.run(needed(first)));
    case operators.equals:
      return planEquals(planner.run(needed(first)), planner.run(needed(second)), true);
    case operators.notEquals:
      return planEquals(planner.run(needed(first)), planner.run(needed(second)), false);
    case operators.index:
    case operators.optionalIndex:
      return planIndex(planner, needed(first), needed(second), call.function);
    case operators.optionalSelect:
      return planOptionalSelect(planner, needed(first), needed(second));
    default:
      return planFunction(planner, call);
  }
}

/** Calls are charged 1 before they run, so that those that fail are charged too, and what they cost beyond it when that is known. */
function planEquals(left: Eval, right: Eval, expected: boolean): Plan {
  return callPlan((frame) => {
    frame.charge(1);
    const a = left(frame);
    const b = right(frame);
    if (typeof a === "object" || typeof a === "string") frame.charge(traversal(Math.min(sizeOf(a), sizeOf(b))) - 1);
    return equalValues(a, b) === expected;
  });
}

function planFunction(planner: PlanContext, call: Call): Plan {
  const { target, overloads } = resolve(planner, call);
  const exprs = target ? [target, ...call.args] : call.args;
  const plans = exprs.map((expr) => planner.plan(expr));
  const [first, second] = plans;
  const [only] = overloads;
  if (overloads.length === 1 && only && first && second) {
    if (only.id === "optional_or_optional") return planOr(run(first), run(second), false);
    if (only.id === "optional_orValue_value") return planOr(run(first), run(second), true);
    const membership = only.id === "in_list" && planMembership(run(first), second.constant);
    if (membership) return membership;
  }
  const types = exprs.map((expr) => planner.ast.types.get(expr.id));
  const refuse = (args: readonly CelValue[]) =>
    noSuchOverloadOf(call.function, planner.declarations.functions.get(call.function) ?? [], args);
  const isFlat = overloads.length > 1 && chargedByOverload.has(call.function);
  const evaluate = planDispatch(isFlat ? overloads.map(({ cost: _, ...rest }) => rest) : overloads, plans, types, refuse);
  if (conversions.has(call.function) && plans.length === 1 && first?.constant !== undefined)
    return constantPlan(evaluate(new Frame([], Infinity, 0)));
  return callPlan(evaluate);
}

/** What the checker has found; without a check, all that the name allows. */
function resolve(planner: PlanContext, call: Call): { readonly target: Expr | undefined; readonly overloads: readonly CelOverload[] } {
  const { ast, declarations } = planner;
  const reference = ast.references.get(call.id);
  if (reference?.kind === "function") {
    const overloads = reference.overloads.flatMap((id) => declarations.overloads.get(id) ?? []);
    return { target: call.target, overloads };
  }
  const prefix = call.target && qualifiedName(call.target);
  const namespaced = prefix === undefined ? undefined : findFunction(declarations, `${prefix}.${call.function}`);
  if (namespaced) return { target: undefined, overloads: namespaced.overloads };
  const found = findFunction(declarations, call.function)?.overloads ?? [];
  const isMember = call.target !== undefined;
  return { target: call.target, overloads: found.filter(({ member }) => (member ?? false) === isMember) };
}

/** `x in ['a', 'b']`: nothing to go through when all items are simple constants. */
function planMembership(needle: Eval, list: CelValue | undefined): Plan | undefined {
  if (!(list instanceof CelList)) return undefined;
  if (list.size === 0) return constantPlan(false);
  const known = new Set([...list].map(mapKey));
  if (known.has(undefined)) return undefined;
  return callPlan((frame) => known.has(mapKey(needle(frame))));
}

function planDispatch(
  overloads: readonly CelOverload[],
  plans: readonly Plan[],
  types: readonly (CelType | undefined)[],
  refuse: (args: readonly CelValue[]) => CelError,
): Eval {
  const runs = plans.map(run);
  const constants = plans.map(({ constant }) => constant);
  const ways = overloads.map((overload) => ({ overload, call: overload.prepare?.(constants) ?? overload.call }));
  const [only] = ways;
  if (ways.length === 1 && only && types.every((type, index) => isSettled(type, only.overload.parameters[index]))) {
    const { call, overload } = only;
    return (frame) => {
      frame.charge(1);
      return finish(frame, overload, call, evaluateAll(frame, runs));
    };
  }
  return (frame) => {
    frame.charge(1);
    const args = evaluateAll(frame, runs);
    for (const { overload, call } of ways) if (accepts(overload, args)) return finish(frame, overload, call, args);
    throw refuse(args);
  };
}

function evaluateAll(frame: Frame, runs: readonly Eval[]): readonly CelValue[] {
  const values: CelValue[] = [];
  for (const each of runs) values.push(each(frame));
  return values;
}

function finish(frame: Frame, overload: CelOverload, call: CelOverload["call"], args: readonly CelValue[]): CelValue {
  const { cost } = overload;
  // What does not depend on the result is charged first: what is too expensive must not run at all, and failures cost as much.
  const known = cost !== undefined && cost.length < 2;
  if (known) frame.charge(cost(args, null) - 1);
  const result = call(args, frame);
  if (cost !== undefined && !known) frame.charge(cost(args, result) - 1);
  return result;
}

const accepts = ({ parameters }: CelOverload, args: readonly CelValue[]): boolean =>
  parameters.length === args.length && args.every((arg, index) => fitsParameter(arg, parameters[index] ?? { kind: "error" }));

/** Whether the checker has made sure that an argument is what the parameter asks for. */
function isSettled(type: CelType | undefined, parameter: CelType | undefined): boolean {
  if (parameter?.kind === "dyn" || parameter?.kind === "param") return true;
  return type !== undefined && !/^(?:dyn|error|null|param|wrapper)$/.test(type.kind);
}

function needed(expr: Expr | undefined): Expr {
  if (!expr) throw new RangeError("an operator without its operands");
  return expr;
}
