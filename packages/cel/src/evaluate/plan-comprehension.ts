/** What macros have become: folds over lists and maps. */
import { type Comprehension, children, type Expr } from "../syntax/ast.ts";
import { CelError, CelList, CelMap, type CelValue } from "../values/value.ts";
import { assign, callPlan, type Eval, type Frame, type Plan } from "./frame.ts";
import type { PlanContext } from "./plan-context.ts";

interface Loop {
  /** Slots. */
  readonly accu: number;
  readonly first: number;
  readonly second: number | undefined;
  readonly condition: Eval;
  /** What the condition costs. */
  readonly conditionCost: number;
  readonly step: Eval;
}

export function planComprehension(planner: PlanContext, expr: Comprehension): Plan {
  if (expr.iterRange.kind === "list" && expr.iterRange.elements.length === 0) return planVariable(planner, expr);
  const range = planner.run(expr.iterRange);
  const init = planner.run(expr.accuInit);
  const accu = planner.newSlot();
  const first = planner.newSlot();
  const second = expr.iterVar2 === undefined ? undefined : planner.newSlot();
  const accuName = { [expr.accuVar]: { slot: accu, mayFail: true } };
  const names = {
    ...accuName,
    [expr.iterVar]: { slot: first, mayFail: false },
    ...(expr.iterVar2 !== undefined && { [expr.iterVar2]: { slot: second ?? first, mayFail: false } }),
  };
  const [condition, step] = planner.within(names, () => [planner.run(expr.loopCondition), planner.run(expr.loopStep)]);
  const result = planner.within(accuName, () => planner.run(expr.result));
  const loop: Loop = { accu, first, second, condition, conditionCost: costOf(expr.loopCondition), step };
  return callPlan((frame) => {
    const over = range(frame);
    assign(frame, accu, init);
    if (over instanceof CelList) foldList(frame, over, loop);
    else if (over instanceof CelMap) foldMap(frame, over, loop);
    else throw notIterable(over, second !== undefined);
    return result(frame);
  });
}

/** A fold over nothing is a variable with a value, which is evaluated only when it is asked for. */
function planVariable(planner: PlanContext, expr: Comprehension): Plan {
  const slot = planner.newSlot();
  const init = planner.run(expr.accuInit);
  const result = planner.within({ [expr.accuVar]: { slot, mayFail: true, init } }, () => planner.run(expr.result));
  return callPlan((frame) => {
    frame.slots[slot] = undefined;
    return result(frame);
  });
}

function foldList(frame: Frame, list: CelList, loop: Loop): void {
  const { slots } = frame;
  for (let i = 0; i < list.size; i++) {
    slots[loop.first] = loop.second === undefined ? list.at(i) : BigInt(i);
    if (loop.second !== undefined) slots[loop.second] = list.at(i);
    if (!advance(frame, loop)) return;
  }
}

function foldMap(frame: Frame, map: CelMap, loop: Loop): void {
  const { slots } = frame;
  for (const key of map.keys()) {
    slots[loop.first] = key;
    if (loop.second !== undefined) slots[loop.second] = map.get(key) ?? null;
    if (!advance(frame, loop)) return;
  }
}

/** One step, unless the condition says that the result is known. */
function advance(frame: Frame, { accu, condition, conditionCost, step }: Loop): boolean {
  if (frame.slots[accu] instanceof CelError) frame.charge(conditionCost);
  else if (condition(frame) === false) return false;
  assign(frame, accu, step);
  return true;
}

/** Macros' conditions are constants, or calls upon the accumulator that go on when it holds an error. */
const costOf = (condition: Expr): number =>
  condition.kind === "literal" ? 0 : children(condition).reduce((sum, child) => sum + costOf(child), 1);

const notIterable = (value: CelValue, two: boolean) =>
  new CelError(two ? `unsupported comprehension range type: ${goTypeName(value)}` : `got '${goTypeName(value)}', expected iterable type`);

/** As cel-go names types in these messages. */
function goTypeName(value: CelValue): string {
  switch (typeof value) {
    case "bigint":
      return "types.Int";
    case "number":
      return "types.Double";
    case "string":
      return "types.String";
    case "boolean":
      return "types.Bool";
    default:
      return value === null ? "types.Null" : "ref.Val";
  }
}
