/** What macros have become: folds, with variables of their own. */
import type { Comprehension, Expr } from "../syntax/ast.ts";
import { boolType, type CelType, dynType, errorType, intType } from "../types/type.ts";
import { showType } from "../types/type-text.ts";
import type { CheckContext } from "./check-context.ts";

export function checkComprehension(checker: CheckContext, expr: Comprehension): Expr {
  const iterRange = checker.check(expr.iterRange);
  const accuInit = checker.check(expr.accuInit);
  const accuType = checker.typeOf(accuInit);
  const [first, second] = loopTypes(checker, iterRange, expr.iterVar2 !== undefined);
  const names = new Map([[expr.accuVar, accuType]]);
  const loopNames = new Map(names).set(expr.iterVar, first);
  if (expr.iterVar2 !== undefined) loopNames.set(expr.iterVar2, second);
  const [loopCondition, loopStep] = checker.within(loopNames, () => {
    const condition = checker.check(expr.loopCondition);
    checker.expect(condition, boolType);
    const step = checker.check(expr.loopStep);
    checker.expect(step, accuType);
    return [condition, step] as const;
  });
  const result = checker.within(names, () => checker.check(expr.result));
  return checker.typed({ ...expr, iterRange, accuInit, loopCondition, loopStep, result }, checker.resolve(checker.typeOf(result)));
}

/** The types of a comprehension's one or two variables. */
function loopTypes(checker: CheckContext, range: Expr, two: boolean): readonly [CelType, CelType] {
  const type = checker.resolve(checker.typeOf(range));
  switch (type.kind) {
    case "list":
      return two ? [intType, type.item] : [type.item, dynType];
    case "map":
      return [type.key, type.value];
    case "dyn":
    case "error":
    case "param":
      checker.assign([dynType], [type]);
      return [dynType, dynType];
    default:
      checker.report(range.id, `expression of type '${showType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`);
      return [errorType, errorType];
  }
}
